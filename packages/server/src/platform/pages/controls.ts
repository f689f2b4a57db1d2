import type { FieldProblem, FormState } from "./formState.ts"
import { attributes, type Html, html, type HtmlValue } from "./html.ts"
import { icons } from "./icons.ts"
import type { Scene } from "./layout.ts"
import type { CommonTexts } from "./texts/texts.ts"

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

const select = (choices: NonNullable<Field["choices"]>, value: string, common: Html, t: CommonTexts): Html => {
  const isChosen = choices.some((choice) => choice.value === value)
  const options = choices.map(
    (choice) =>
      html`<option${attributes({ value: choice.value, selected: choice.value === value })}>${choice.label}</option>`
  )
  return html`<select${common}>${!isChosen && html`<option value="">${t.choose}</option>`}${options}</select>`
}

const fieldControl = ({ t }: Scene, field: Field, { values, problems }: FormState): Html => {
  const id = controlId(field.name)
  const problem = problems[field.name]
  const value = values[field.name] ?? field.initial ?? ""
  const describing = [problem !== undefined && `${id}-problem`, field.help !== undefined && `${id}-help`].filter(
    Boolean
  )
  const common = attributes({
    id,
    name: field.name,
    autocomplete: field.autocomplete,
    required: field.required,
    "aria-describedby": describing.length === 0 ? undefined : describing.join(" "),
    "aria-invalid": problem === undefined ? undefined : "true"
  })
  const type = field.type ?? "text"
  const input = attributes({
    type,
    inputmode: field.inputmode,
    autocapitalize: field.verbatim === true ? "none" : undefined,
    spellcheck: field.verbatim === true ? "false" : undefined,
    // A password is never sent back.
    value: type === "password" || value === "" ? undefined : value
  })
  return html`<div class="field${field.half === true && " half"}${problem !== undefined && " bad"}">
    <label for="${id}">${field.label}${!field.required && html` <span class="optional">${t.optional}</span>`}</label>
    ${field.help !== undefined && html`<p class="help" id="${id}-help">${field.help}</p>`}
    ${problem !== undefined && html`<p class="problem" id="${id}-problem">${t.problems[problem](field.label)}</p>`}
    ${field.choices === undefined ? html`<input${common}${input}>` : select(field.choices, value, common, t)}
  </div>`
}

export const fieldControls = (scene: Scene, fields: ReadonlyArray<Field>, form: FormState): HtmlValue =>
  fields.map((field) => fieldControl(scene, field, form))

/** A problem in the summary, with the control that it is about. */
export interface SummaryLine {
  readonly target: string
  readonly text: string
}

/** The summary lines of a form's fields, in their order. */
export const summaryLines = (
  t: CommonTexts,
  fields: ReadonlyArray<Field>,
  form: FormState
): ReadonlyArray<SummaryLine> =>
  fields.flatMap(({ name, label }) => {
    const problem: FieldProblem | undefined = form.problems[name]
    return problem === undefined ? [] : [{ target: controlId(name), text: t.problems[problem](label) }]
  })

/** All problems of a page, each with a link to its field. It has the focus when the page opens. */
export const problemSummary = (
  title: string,
  lines: ReadonlyArray<SummaryLine>,
  sentence: string | null = null
): HtmlValue =>
  (lines.length > 0 || sentence !== null) &&
  html`<div class="summary" role="alert" tabindex="-1" autofocus>
    <h2>${icons.warning}${title}</h2>
    ${sentence !== null && html`<p>${sentence}</p>`}
    ${
      lines.length > 0 &&
      html`<ul>
        ${lines.map(({ target, text }) => html`<li><a href="#${target}">${text}</a></li>`)}
      </ul>`
    }
  </div>`

/** A form that posts to a step of the flow. Outside of a flow nothing can be sent. */
export const stepForm = ({ request }: Scene, step: string, content: HtmlValue, className?: string): HtmlValue =>
  request.base !== null &&
  html`<form${attributes({ method: "post", action: `${request.base}/${step}`, novalidate: true, class: className })}>${content}</form>`

export const mainButton = (label: string): Html => html`<button class="button main" type="submit">${label}</button>`

/** A link that looks like a button. */
export const linkButton = (href: string, label: string, look: "main" | "plain" = "main"): Html =>
  html`<a class="button ${look}" href="${href}" rel="noreferrer">${label}</a>`

export const addressFields = (t: CommonTexts): ReadonlyArray<Field> => {
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

export const personFields = (t: CommonTexts): ReadonlyArray<Field> => {
  const { fields } = t.person
  return [
    { name: "firstName", label: fields.firstName, required: true, autocomplete: "given-name", half: true },
    { name: "lastName", label: fields.lastName, required: true, autocomplete: "family-name", half: true },
    { name: "email", label: fields.email, required: true, type: "email", autocomplete: "email" },
    { name: "phone", label: fields.phone, required: true, type: "tel", autocomplete: "tel" }
  ]
}
