import { useId } from "react";

type Props = {
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  onChange: (value: number) => void;
  format?: (value: number) => string; // what is shown and read out
  hideLabel?: boolean;
  disabled?: boolean;
};

export function Slider({ label, value, min, max, step = 1, onChange, format = String, hideLabel, disabled }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className={hideLabel ? "unseen" : "field-label"}>
        {label} <span className="numbers">{format(value)}</span>
      </label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        disabled={disabled}
        aria-valuetext={format(value)}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
    </div>
  );
}
