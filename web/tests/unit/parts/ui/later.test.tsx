import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { later } from "../../../../src/parts/ui/later";

const Found = ({ name }: { name: string }) => <b>{name}</b>;
const soon = () => new Promise((done) => setTimeout(done));

test("what was fetched before is shown at once, with nothing that waits in between", async () => {
  const View = later(async () => ({ default: Found }), "the picture");
  expect(renderToStaticMarkup(<View name="tag" />)).toContain("the picture");
  View.preload();
  await soon();
  expect(renderToStaticMarkup(<View name="tag" />)).toBe("<b>tag</b>");
});

test("a file is asked for once, and again only after it could not be had", async () => {
  let asked = 0;
  const View = later(async () => {
    if (++asked === 1) throw new Error("no network");
    return { default: Found };
  }, "the picture");
  View.preload();
  View.preload();
  await soon();
  expect(asked).toBe(1);
  View.preload();
  await soon();
  View.preload();
  expect(asked).toBe(2);
  expect(renderToStaticMarkup(<View name="tag" />)).toBe("<b>tag</b>");
});
