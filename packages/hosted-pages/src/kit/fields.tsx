import { FieldFrame } from "@edp/dashboard/kit/FieldFrame.tsx"
import { Notice } from "@edp/dashboard/kit/components.tsx"
import type { FieldProblem, FormState } from "../scene/formState.ts"
import type { Scene } from "../scene/scene.ts"
import type { CommonMessages } from "../scene/messages.ts"

export interface Field {
  readonly name: string
  readonly label: string
  readonly required: boolean
  readonly type?: "text" | "email" | "tel" | "password"
  readonly autocomplete?: string
  readonly inputmode?: "numeric" | "url"
  readonly help?: string | undefined
  /** Takes a name or an address as it is: keyboards do not correct it. */
  readonly verbatim?: boolean
  readonly choices?: ReadonlyArray<{ readonly value: string; readonly label: string }> | undefined
  readonly initial?: string | undefined
  /** Shares its row with the next one where there is room. */
  readonly half?: boolean
}

/** The id of a field's control. */
const controlId = (name: string) => `field-${name}`

interface FormFieldProps {
  readonly scene: Scene
  readonly field: Field
  readonly form: FormState
}

const FormField = ({ scene: { t }, field, form: { values, problems } }: FormFieldProps) => {
  const { name, label, required, autocomplete, choices, half, help, inputmode, type = "text", verbatim } = field
  const problem = problems[name]
  const value = values[name] ?? field.initial ?? ""
  const isChosen = choices?.some((choice) => choice.value === value)
  return (
    <FieldFrame
      id={controlId(name)}
      label={label}
      mark={!required && <span className="required"> {t.optional}</span>}
      hint={help}
      problem={problem && t.problems[problem]({ label })}
      className={half === true ? "half" : undefined}
    >
      {(control) => {
        const common = { ...control, name, autoComplete: autocomplete, required }
        if (choices === undefined) {
          return (
            <input
              {...common}
              type={type}
              inputMode={inputmode}
              autoCapitalize={verbatim === true ? "none" : undefined}
              spellCheck={verbatim === true ? false : undefined}
              // A password is never sent back.
              defaultValue={type === "password" || value === "" ? undefined : value}
            />
          )
        }
        return (
          <select {...common} defaultValue={isChosen === true ? value : ""}>
            {isChosen !== true && <option value="">{t.choose}</option>}
            {choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))}
          </select>
        )
      }}
    </FieldFrame>
  )
}

interface FieldsProps {
  readonly scene: Scene
  readonly fields: ReadonlyArray<Field>
  readonly form: FormState
  /** The name of the group, where the form has several. */
  readonly legend?: string
}

/** The fields of a form, each with what was typed and what is wrong with it. */
export const Fields = ({ scene, fields, form, legend }: FieldsProps) => {
  const list = (
    <div className="fields">
      {fields.map((field) => (
        <FormField key={field.name} {...{ scene, field, form }} />
      ))}
    </div>
  )
  if (legend === undefined) return list
  return (
    <fieldset>
      <legend>{legend}</legend>
      {list}
    </fieldset>
  )
}

/** A problem in the summary, with the control that it is about. */
export interface SummaryLine {
  readonly target: string
  readonly text: string
}

/** The summary lines of a form's fields, in their order. */
export const summaryLines = (
  t: CommonMessages,
  fields: ReadonlyArray<Field>,
  form: FormState
): ReadonlyArray<SummaryLine> =>
  fields.flatMap(({ name, label }) => {
    const problem: FieldProblem | undefined = form.problems[name]
    return problem === undefined ? [] : [{ target: controlId(name), text: t.problems[problem]({ label }) }]
  })

interface ProblemSummaryProps {
  readonly title: string
  readonly lines: ReadonlyArray<SummaryLine>
  readonly sentence?: string | null
}

/** All problems of a page, each with a link to its field. It has the focus when the page opens. */
export const ProblemSummary = ({ title, lines, sentence = null }: ProblemSummaryProps) =>
  (lines.length > 0 || sentence !== null) && (
    <Notice state="bad" announced takesFocus className="summary">
      <h2>{title}</h2>
      {sentence !== null && <p>{sentence}</p>}
      {lines.length > 0 && (
        <ul>
          {lines.map(({ target, text }) => (
            <li key={target}>
              <a href={`#${target}`}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </Notice>
  )

export const addressFields = (t: CommonMessages): ReadonlyArray<Field> => {
  const { fields } = t.address
  return [
    { name: "streetOne", label: fields.streetOne, required: true, autocomplete: "address-line1" },
    { name: "streetTwo", label: fields.streetTwo, required: false, autocomplete: "address-line2" },
    { name: "city", label: fields.city, required: true, autocomplete: "address-level2", half: true },
    { name: "state", label: fields.state, required: true, autocomplete: "address-level1", half: true },
    { name: "postalCode", label: fields.postalCode, required: true, autocomplete: "postal-code", half: true },
    { name: "country", label: fields.country, required: true, autocomplete: "country-name", half: true }
  ]
}

export const personFields = (t: CommonMessages): ReadonlyArray<Field> => {
  const { fields } = t.person
  return [
    { name: "firstName", label: fields.firstName, required: true, autocomplete: "given-name", half: true },
    { name: "lastName", label: fields.lastName, required: true, autocomplete: "family-name", half: true },
    { name: "email", label: fields.email, required: true, type: "email", autocomplete: "email" },
    { name: "phone", label: fields.phone, required: true, type: "tel", autocomplete: "tel" }
  ]
}
