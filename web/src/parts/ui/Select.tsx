import { useId } from "react";

export type Option<Value extends string = string> = { value: Value; label: string; group?: string; disabled?: boolean };

type Props<Value extends string> = {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
  hideLabel?: boolean;
  disabled?: boolean;
};

export function Select<Value extends string>({ label, value, options, onChange, hideLabel, disabled }: Props<Value>) {
  const id = useId();
  const groups = [...new Set(options.map((option) => option.group))];
  return (
    <div className="field">
      <label htmlFor={id} className={hideLabel ? "unseen" : "field-label"}>
        {label}
      </label>
      <select id={id} value={value} disabled={disabled} onChange={(event) => onChange(event.target.value as Value)}>
        {groups.map((group) => {
          const inside = options.filter((option) => option.group === group).map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ));
          return group ? <optgroup key={group} label={group}>{inside}</optgroup> : inside;
        })}
      </select>
    </div>
  );
}
