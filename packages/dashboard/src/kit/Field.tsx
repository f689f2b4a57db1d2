import {
  type ComponentProps,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId
} from "react"

interface Common {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** The reason why the value was refused. */
  readonly problem?: string | undefined
  /** The label is only for screen readers, where its place says what it is. */
  readonly hideLabel?: boolean
}

interface FieldProps extends Common {
  readonly children: (ids: {
    readonly id: string
    readonly "aria-describedby": string | undefined
    readonly "aria-invalid": true | undefined
  }) => ReactNode
}

/** A control with its label, a hint and the reason of a refusal. */
export const Field = ({ label, hint, problem, hideLabel = false, children }: FieldProps) => {
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`].filter(Boolean)
  return (
    <div className="field">
      <label htmlFor={id} className={hideLabel ? "hidden" : undefined}>
        {label}
      </label>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
        "aria-invalid": problem !== undefined || undefined
      })}
      {problem !== undefined && (
        <p className="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  )
}

type Rest<Props> = Omit<Props, keyof Common | "onChange" | "value">

interface TextFieldProps extends Common, Rest<InputHTMLAttributes<HTMLInputElement>> {
  readonly value: string
  readonly onChange: (value: string) => void
}

export const TextField = ({ label, hint, problem, hideLabel, value, onChange, ...rest }: TextFieldProps) => (
  <Field label={label} hint={hint} problem={problem} hideLabel={hideLabel ?? false}>
    {(ids) => (
      <input
        type="text"
        autoComplete="off"
        {...rest}
        {...ids}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

interface TextAreaProps extends Common, Rest<TextareaHTMLAttributes<HTMLTextAreaElement>> {
  readonly value: string
  readonly onChange: (value: string) => void
}

export const TextAreaField = ({ label, hint, problem, hideLabel, value, onChange, ...rest }: TextAreaProps) => (
  <Field label={label} hint={hint} problem={problem} hideLabel={hideLabel ?? false}>
    {(ids) => (
      <textarea rows={4} {...rest} {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
    )}
  </Field>
)

export interface Option<Value extends string> {
  readonly value: Value
  readonly label: string
}

interface SelectFieldProps<Value extends string> extends Common, Rest<SelectHTMLAttributes<HTMLSelectElement>> {
  readonly value: Value
  readonly options: ReadonlyArray<Option<Value>>
  readonly onChange: (value: Value) => void
}

export const SelectField = <Value extends string>(props: SelectFieldProps<Value>) => {
  const { label, hint, problem, hideLabel, value, options, onChange, ...rest } = props
  return (
    <Field label={label} hint={hint} problem={problem} hideLabel={hideLabel ?? false}>
      {(ids) => (
        <select {...rest} {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckFieldProps extends Omit<ComponentProps<"input">, "onChange" | "checked"> {
  readonly label: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

export const CheckField = ({ label, checked, onChange, ...rest }: CheckFieldProps) => (
  <label className="check">
    <input {...rest} type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>{label}</span>
  </label>
)
