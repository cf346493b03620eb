// The hold and the market in one table: what is aboard, what it is worth, where its price goes, what the station has.
import { Art, type Picture } from "../art";
import type { Belt, Good } from "./belt";
import { amount, goodName, percent, signed } from "./words";

export function Market({ belt }: { belt: Belt }) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Cargo and market">
      <table className="table pr-market" data-part="market">
        <caption className="unseen">Cargo and market</caption>
        <thead>
          <tr>
            <th scope="col">Commodity</th>
            <th scope="col" className="numbers">
              Aboard
            </th>
            <th scope="col" className="numbers">
              Price
            </th>
            <th scope="col" className="numbers">
              Change
            </th>
            <th scope="col" className="numbers pr-market-base">
              Of base
            </th>
            <th scope="col" className="numbers">
              Stock
            </th>
          </tr>
        </thead>
        <tbody>
          {belt.goods.map((good) => (
            <Row key={good.name} good={good} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ good }: { good: Good }) {
  return (
    <tr data-good={good.name}>
      <th scope="row">
        <GoodName name={good.name} />
      </th>
      <td className="numbers" data-cell="units">
        {amount(good.units)}
      </td>
      <td className="numbers" data-cell="price">
        {amount(good.price)}
      </td>
      <td className="numbers" data-cell="change">
        <Direction change={good.change} />
        {signed(good.change)}
      </td>
      <td className="numbers pr-market-base">{percent(good.base > 0 ? good.price / good.base : 0)}</td>
      <td className="numbers" data-cell="stock">
        {amount(good.stock)}
      </td>
    </tr>
  );
}

/** A commodity by its colour, its icon and always its name. */
export function GoodName({ name, iconOnly = false }: { name: string; iconOnly?: boolean }) {
  return (
    <span className="pr-good" title={iconOnly ? goodName(name) : undefined}>
      <Art name={`icon.commodity.${name}` as Picture} size={14} decorative={!iconOnly} />
      {!iconOnly && goodName(name)}
    </span>
  );
}

const FLAT = 0.05; // credits: less is no direction

export function Direction({ change }: { change: number }) {
  const name = change > FLAT ? "icon.market.up" : change < -FLAT ? "icon.market.down" : "icon.market.flat";
  return (
    <span className="pr-direction">
      <Art name={name} size={9} />
    </span>
  );
}
