import type { FlowView } from "../flowView.ts"
import type { Instruction } from "../../adapters/ManufacturerAdapter.ts"
import { webAddress } from "../../platform/pages/addresses.ts"
import {
  fieldControls,
  linkButton,
  mainButton,
  problemSummary,
  stepForm,
  summaryLines
} from "../../platform/pages/controls.ts"
import { type Html, html, type HtmlValue } from "../../platform/pages/html.ts"
import { icons } from "../../platform/pages/icons.ts"
import type { PageParts } from "../../platform/pages/layout.ts"
import { adapterField, anotherForm, cancelForm } from "./flowControls.ts"
import type { FlowScene } from "./texts/texts.ts"

type View<Name extends FlowView["page"]> = Extract<FlowView, { readonly page: Name }>

const marked = (lines: ReadonlyArray<string>, icon: Html, className: string): Html =>
  html`<ul class="marked ${className}">
    ${lines.map((line) => html`<li>${icon}<span>${line}</span></li>`)}
  </ul>`

const unique = (lines: ReadonlyArray<string>) => [...new Set(lines)]

export const consentPage = (scene: FlowScene, view: View<"consent">): PageParts => {
  const { t, asker } = scene
  const { manufacturer, deviceTypes, commands, authorization } = view
  const isLocal = authorization !== "oauth2"
  const reads = unique([...deviceTypes.map((type) => t.reads[type]), t.readsAlways])
  return {
    name: "consent",
    heading: t.consent.title(asker, manufacturer),
    content: html`<p class="lead">${t.consent.lead(asker, manufacturer)}</p>
      <h2>${t.consent.reads(asker)}</h2>
      ${marked(reads, icons.check, "yes")}
      <h2>${t.consent.commands(asker)}</h2>
      ${
        commands.length === 0
          ? html`<p>${t.consent.noCommands}</p>`
          : marked(unique(commands.map((slug) => t.commands[slug])), icons.check, "yes")
      }
      <h2>${t.consent.not(asker)}</h2>
      ${marked(isLocal ? t.consent.notsOfLocal : t.consent.nots(manufacturer), icons.cross, "no")}
      <h2>${t.consent.end}</h2>
      <p>${isLocal ? t.consent.endingsOfLocal(asker) : t.consent.endings(asker, manufacturer)}</p>
      ${stepForm(
        scene,
        "consent",
        html`<button class="button main" type="submit" name="granted" value="yes">${t.consent.agree}</button>
          <button class="button plain" type="submit" name="granted" value="no">${t.consent.decline}</button>`,
        "actions"
      )}
      ${view.canChooseAnother && html`<div class="cancel">${anotherForm(scene, t.unsupported.another, "quiet")}</div>`}`
  }
}

export const formPage = (scene: FlowScene, view: View<"form">): PageParts => {
  const { t } = scene
  const fields = view.fields.map((field) => adapterField(scene, field))
  const problems = summaryLines(t, fields, view.form)
  return {
    name: "form",
    heading: t.form.title(view.manufacturer),
    hasProblems: problems.length > 0 || view.failure !== null,
    content: html`<p class="lead">${t.form.lead}</p>
      ${problemSummary(problems.length > 0 ? t.problemsTitle : t.form.failed, problems, view.failure)}
      ${stepForm(
        scene,
        "form",
        html`<div class="fields">${fieldControls(scene, fields, view.form)}</div>
          ${mainButton(t.form.submit)}`
      )}
      ${cancelForm(scene)}`
  }
}

const instruction = ({ t, context: { language } }: FlowScene, { label, value, secret }: Instruction): Html => {
  const code = html`<code data-copy="${t.waiting.copy}" data-copied="${t.waiting.copied}">${value}</code>`
  return html`<dt>${label[language]}</dt>
    <dd>
      ${
        secret
          ? html`<details>
              <summary>${t.waiting.show}</summary>
              ${code}
            </details>`
          : code
      }
    </dd>`
}

/** Seconds after which the page refreshes itself where scripts do not run. Scripts ask more often, without a reload. */
const REFRESH_SECONDS = 10

export const waitingPage = (scene: FlowScene, view: View<"waiting">): PageParts => {
  const { t, request } = scene
  const { base } = request
  const { manufacturer, instructions } = view
  const authorizationUrl = webAddress(view.authorizationUrl)
  const [heading, lead] =
    authorizationUrl !== null
      ? [t.waiting.title(manufacturer), t.waiting.lead(manufacturer)]
      : instructions.length > 0
        ? [t.waiting.dialTitle, t.waiting.dialLead]
        : [t.waiting.plainTitle, t.waiting.plainLead]
  const byItself: HtmlValue =
    base !== null &&
    html`<p class="checks">
      <a href="${base}">${t.waiting.check}</a>${
        request.refreshes && html`<noscript> · <a href="${base}?check=manual">${t.waiting.stop}</a></noscript>`
      }
    </p>`
  return {
    name: "waiting",
    heading,
    head: request.refreshes && html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}" /></noscript> `,
    content: html`<p class="lead">${lead}</p>
      ${
        instructions.length > 0 &&
        html`<h2>${t.waiting.settings}</h2>
          <dl class="settings">${instructions.map((each) => instruction(scene, each))}</dl>`
      }
      ${authorizationUrl !== null && linkButton(authorizationUrl, t.waiting.goOn(manufacturer))}
      <p class="waiting" role="status">
        <span class="spinner" aria-hidden="true"></span>${t.waiting.status(manufacturer)}
      </p>
      ${byItself} ${cancelForm(scene)}`
  }
}
