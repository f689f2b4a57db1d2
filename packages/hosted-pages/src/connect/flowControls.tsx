import { type FormField, localize } from "@edp/adapter-kit/ManufacturerAdapter"
import type { Tone } from "@edp/dashboard/kit/Button.tsx"
import type { Field } from "../kit/fields.tsx"
import { SendButton, StepForm } from "../kit/StepForm.tsx"
import type { FlowView } from "./pageTypes.ts"
import type { FlowScene } from "./messages.ts"

/** The messages and the data of a page. */
export interface ViewProps<Name extends FlowView["page"]> {
  readonly scene: FlowScene
  readonly view: Extract<FlowView, { readonly page: Name }>
}

export const CancelForm = ({ scene }: { readonly scene: FlowScene }) => (
  <StepForm scene={scene} step="cancel" className="cancel">
    <SendButton tone="quiet">{scene.t.cancel}</SendButton>
  </StepForm>
)

export const AnotherForm = ({ scene, tone }: { readonly scene: FlowScene; readonly tone: Tone }) => (
  <StepForm scene={scene} step="another">
    <SendButton tone={tone}>{scene.t.unsupported.another}</SendButton>
  </StepForm>
)

/** The field of an adapter's form, in the page's language. */
export const adapterField = ({ context: { language } }: FlowScene, field: FormField): Field => {
  const isVerbatim = field.kind !== "choice"
  return {
    name: field.name,
    label: localize(field.label, language),
    required: field.required,
    type: field.kind === "password" ? "password" : "text",
    autocomplete: "off",
    help: field.help && localize(field.help, language),
    verbatim: isVerbatim,
    ...(field.kind === "integer" && { inputmode: "numeric" }),
    choices: field.choices?.map(({ value, label }) => ({ value, label: localize(label, language) })),
    initial: field.initial
  }
}
