import { SelectField } from "./Field.tsx"

interface ChoiceFilterProps<Value extends string> {
  readonly label: string
  readonly hideLabel?: boolean
  /** The words for no choice, which lets everything pass. */
  readonly all: string
  readonly value: Value | undefined
  readonly values: ReadonlyArray<Value>
  readonly name: (value: Value) => string
  readonly onChange: (value: Value | undefined) => void
}

/** A filter of a list by one of several values. */
export const ChoiceFilter = <Value extends string>(props: ChoiceFilterProps<Value>) => {
  const { label, hideLabel, all, value, values, name, onChange } = props
  return (
    <SelectField<Value | "">
      label={label}
      hideLabel={hideLabel}
      value={value ?? ""}
      options={[{ value: "", label: all }, ...values.map((each) => ({ value: each, label: name(each) }))]}
      onChange={(chosen) => onChange(chosen || undefined)}
    />
  )
}
