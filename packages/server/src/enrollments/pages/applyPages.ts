import {
  addressFields,
  fieldControls,
  linkButton,
  mainButton,
  personFields,
  problemSummary,
  stepForm,
  summaryLines
} from "../../platform/pages/controls.ts"
import { attributes, html, type HtmlValue } from "../../platform/pages/html.ts"
import { icons } from "../../platform/pages/icons.ts"
import type { PageParts } from "../../platform/pages/layout.ts"
import type { EnrollView, ShownProgram } from "../enrollView.ts"
import { instant } from "./dates.ts"
import type { EnrollScene } from "./texts/texts.ts"

type View<Name extends EnrollView["page"]> = Extract<EnrollView, { readonly page: Name }>

/** A text of the operator, with its line breaks. */
export const prose = (text: string): HtmlValue => text.trim() !== "" && html`<p class="prose">${text.trim()}</p>`

const dates = ({ context: { language }, t }: EnrollScene, { period }: ShownProgram): HtmlValue =>
  period === null
    ? html`<p>${t.program.atOnce}</p>`
    : html`<dl class="facts">
        <dt>${t.program.deadline}</dt>
        <dd>${instant(language, period.deadline)}</dd>
        <dt>${t.program.activatesAt}</dt>
        <dd>${instant(language, period.activatesAt)}</dd>
      </dl>`

export const programPage = (scene: EnrollScene, { hasBegun, program }: View<"program">): PageParts => {
  const { t, request } = scene
  const { base } = request
  const { description, eligibilityCriteria, states, title } = program
  return {
    name: "program",
    heading: title,
    content: html`${prose(description)}
      ${
        hasBegun &&
        base !== null &&
        html`<div class="note">
          <p>${t.program.begun} <a href="${base}/back">${t.program.goOn}</a></p>
        </div>`
      }
      <h2>${t.program.who}</h2>
      ${prose(eligibilityCriteria)}
      <p>${states.length === 0 ? t.program.everywhere : t.program.states(states)}</p>
      <h2>${t.program.dates}</h2>
      ${dates(scene, program)}
      <h2>${t.program.needs}</h2>
      <ul class="marked yes">
        ${t.program.needed.map((line) => html`<li>${icons.check}<span>${line}</span></li>`)}
      </ul>
      ${base !== null && linkButton(`${base}/apply`, t.program.start)}`
  }
}

const ACCEPT = "field-accept"

const terms = ({ t }: EnrollScene, { accepted, needsAcceptance, program }: View<"apply">): HtmlValue => {
  if (program.terms.trim() === "") return null
  const input = attributes({
    id: ACCEPT,
    type: "checkbox",
    name: "accept",
    value: "yes",
    checked: accepted,
    required: true,
    "aria-invalid": needsAcceptance ? "true" : undefined,
    "aria-describedby": needsAcceptance ? `${ACCEPT}-problem` : undefined
  })
  return html`<fieldset>
    <legend>${t.apply.terms}</legend>
    <div class="terms prose" role="region" aria-label="${t.apply.terms}" tabindex="0">${program.terms.trim()}</div>
    <div class="check${needsAcceptance && " bad"}">
      ${needsAcceptance && html`<p class="problem" id="${ACCEPT}-problem">${t.apply.acceptProblem}</p>`}
      <input${input}>
      <label for="${ACCEPT}">${t.apply.accept}</label>
    </div>
  </fieldset>`
}

export const applyPage = (scene: EnrollScene, view: View<"apply">): PageParts => {
  const { asker, t } = scene
  const { failure, form, formToken, needsAcceptance, program } = view
  const person = personFields(t).map((field) => (field.name === "phone" ? { ...field, required: false } : field))
  const address = addressFields(t)
  const problems = [
    ...summaryLines(t, [...person, ...address], form),
    ...(needsAcceptance ? [{ target: ACCEPT, text: t.apply.acceptProblem }] : [])
  ]
  const sentence = failure === null ? null : t.apply.failures[failure]
  return {
    name: "apply",
    heading: t.apply.title,
    hasProblems: problems.length > 0 || failure !== null,
    content: html`<p class="lead">${t.apply.lead(asker)}</p>
      ${problemSummary(problems.length > 0 ? t.problemsTitle : t.apply.failed, problems, sentence)}
      ${stepForm(
        scene,
        "apply",
        html`<input type="hidden" name="form" value="${formToken}" />
          <input type="hidden" name="termsVersion" value="${program.termsVersion}" />
          <fieldset>
            <legend>${t.person.legend}</legend>
            <div class="fields">${fieldControls(scene, person, form)}</div>
          </fieldset>
          <fieldset>
            <legend>${t.apply.home}</legend>
            <div class="fields">${fieldControls(scene, address, form)}</div>
          </fieldset>
          ${terms(scene, view)} ${mainButton(t.apply.send)}`
      )}`
  }
}
