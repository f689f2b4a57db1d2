import type { FormField } from "../../adapters/ManufacturerAdapter.ts"
import { type Field, stepForm } from "../../platform/pages/controls.ts"
import { html, type HtmlValue } from "../../platform/pages/html.ts"
import type { FlowScene } from "./texts/texts.ts"

export const cancelForm = (scene: FlowScene): HtmlValue =>
  stepForm(scene, "cancel", html`<button class="button quiet" type="submit">${scene.t.cancel}</button>`, "cancel")

export const anotherForm = (scene: FlowScene, label: string, look: "main" | "plain" | "quiet"): HtmlValue =>
  stepForm(scene, "another", html`<button class="button ${look}" type="submit">${label}</button>`)

/** The field of an adapter's form, in the page's language. */
export const adapterField = ({ context: { language } }: FlowScene, field: FormField): Field => {
  const isVerbatim = field.kind !== "choice"
  return {
    name: field.name,
    label: field.label[language],
    required: field.required,
    type: field.kind === "password" ? "password" : "text",
    autocomplete: "off",
    help: field.help?.[language],
    verbatim: isVerbatim,
    ...(field.kind === "integer" && { inputmode: "numeric" }),
    choices: field.choices?.map(({ value, label }) => ({ value, label: label[language] })),
    initial: field.initial
  }
}
