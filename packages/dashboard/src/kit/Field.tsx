import {
  type ComponentProps,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId
} from "react"
import { useMessages } from "../i18n/useMessages.ts"
import { type DescribedControl, FieldFrame } from "./FieldFrame.tsx"
import { useFieldProblem } from "./Form.tsx"

interface Common {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** The reason why the service refused the value. */
  readonly problem?: string | undefined
  /** The reason why the value can't be sent, beyond what its control knows itself. It is shown once someone tries to. */
  readonly invalid?: string | undefined
  readonly required?: boolean | undefined
  /** The label is only for screen readers, where its place says what it is. */
  readonly hideLabel?: boolean | undefined
}

interface FieldProps extends Common {
  readonly children: (
    ids: DescribedControl & { readonly "data-invalid": string | undefined; readonly required: boolean }
  ) => ReactNode
}

/** Marks a required field. Screen readers know it from the control, if there is one. */
const RequiredMark = ({ isHidden = false }: { readonly isHidden?: boolean }) => {
  const t = useMessages("kit")
  return (
    <span className="required" aria-hidden={isHidden}>
      {` (${t.requiredMark})`}
    </span>
  )
}

/** A control with its label, a hint and the reason of a refusal. */
export const Field = ({ label, hint, hideLabel, required = false, children, ...reasons }: FieldProps) => {
  const id = useId()
  const problem = useFieldProblem(id) ?? reasons.problem
  return (
    <FieldFrame {...{ id, label, hint, problem, hideLabel }} mark={required && <RequiredMark isHidden />}>
      {(described) => children({ ...described, "data-invalid": reasons.invalid, required })}
    </FieldFrame>
  )
}

interface FieldGroupProps extends Pick<Common, "invalid" | "problem" | "required"> {
  readonly label: ReactNode
  readonly children: ReactNode
}

/** Several controls that make one value, with the reason of a refusal. */
export const FieldGroup = ({ label, required, children, ...reasons }: FieldGroupProps) => {
  const id = useId()
  const problem = useFieldProblem(id) ?? reasons.problem
  return (
    <fieldset
      id={id}
      data-invalid={reasons.invalid}
      aria-describedby={problem === undefined ? undefined : `${id}-problem`}
    >
      <legend>
        {label}
        {required && <RequiredMark />}
      </legend>
      {children}
      {problem !== undefined && (
        <p className="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  )
}

type Rest<Props> = Omit<Props, keyof Common | "onChange" | "value">

interface TextFieldProps extends Common, Rest<InputHTMLAttributes<HTMLInputElement>> {
  readonly value: string
  readonly onChange: (value: string) => void
}

export const TextField = (props: TextFieldProps) => {
  const { label, hint, problem, invalid, required, hideLabel, value, onChange, ...rest } = props
  return (
    <Field {...{ label, hint, problem, invalid, required, hideLabel }}>
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
}

interface TextAreaProps extends Common, Rest<TextareaHTMLAttributes<HTMLTextAreaElement>> {
  readonly value: string
  readonly onChange: (value: string) => void
}

export const TextAreaField = (props: TextAreaProps) => {
  const { label, hint, problem, invalid, required, hideLabel, value, onChange, ...rest } = props
  return (
    <Field {...{ label, hint, problem, invalid, required, hideLabel }}>
      {(ids) => (
        <textarea rows={4} {...rest} {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      )}
    </Field>
  )
}

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
  const { label, hint, problem, invalid, required, hideLabel, value, options, onChange, ...rest } = props
  return (
    <Field {...{ label, hint, problem, invalid, required, hideLabel }}>
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

interface ChoiceFieldProps<Value extends string> extends Pick<Common, "invalid" | "problem" | "required"> {
  readonly label: ReactNode
  readonly value: Value | ""
  readonly options: ReadonlyArray<Option<Value>>
  readonly onChange: (value: Value) => void
}

/** A choice of a few values that are all in view: one click makes it. */
export const ChoiceField = <Value extends string>(props: ChoiceFieldProps<Value>) => {
  const { value, options, onChange, ...group } = props
  const name = useId()
  return (
    <FieldGroup {...group}>
      <div className="choices">
        {options.map((option) => (
          <label key={option.value} className="choice">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={value === option.value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </FieldGroup>
  )
}
