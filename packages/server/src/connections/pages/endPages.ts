import type { Intervention } from "@edp/domain/devices/Intervention"
import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { FlowView, ShownDevice } from "../flowView.ts"
import { linkable } from "../../platform/pages/addresses.ts"
import {
  addressFields,
  fieldControls,
  linkButton,
  mainButton,
  problemSummary,
  stepForm,
  summaryLines
} from "../../platform/pages/controls.ts"
import { attributes, type Html, html, type HtmlValue } from "../../platform/pages/html.ts"
import { deviceIcons, icons } from "../../platform/pages/icons.ts"
import type { PageParts } from "../../platform/pages/layout.ts"
import { cancelForm } from "./flowControls.ts"
import type { FlowScene } from "./texts/texts.ts"

type View<Name extends FlowView["page"]> = Extract<FlowView, { readonly page: Name }>

const deviceChoice = ({ t }: FlowScene, device: ShownDevice, index: number): Html => {
  const id = `device-${index}`
  const { manufacturerDeviceId, type, name, model, serialNumber, incompatible, selected } = device
  const more = [t.deviceTypes[type], model, serialNumber !== null && t.system.serialNumber(serialNumber)]
  const input = attributes({
    id,
    type: "checkbox",
    name: "device",
    value: manufacturerDeviceId,
    checked: selected && incompatible === null,
    disabled: incompatible !== null,
    "aria-describedby": `${id}-more`
  })
  return html`<li class="device${incompatible !== null && " off"}">
<input${input}>
<label for="${id}">${deviceIcons[type]}<span>${name}</span></label>
<p id="${id}-more">${more.filter((each) => each !== false && each !== "").join(" · ")}${
    incompatible !== null && html`<strong>${t.system.incompatible} ${incompatible}</strong>`
  }</p>
</li>`
}

export const systemPage = (scene: FlowScene, view: View<"system">): PageParts => {
  const { t } = scene
  const { devices, address, problem } = view
  const fields = addressFields(t)
  const firstDevice = devices.findIndex(({ incompatible }) => incompatible === null)
  const problems = [
    ...(problem === null
      ? []
      : [{ target: `device-${Math.max(firstDevice, 0)}`, text: t.problems[problem](t.system.devices) }]),
    ...(address === null ? [] : summaryLines(t, fields, address))
  ]
  return {
    name: "system",
    heading: t.system.title,
    hasProblems: problems.length > 0,
    content: html`<p class="lead">${t.system.lead(view.manufacturer)}</p>
      ${problemSummary(t.problemsTitle, problems)}
      ${stepForm(
        scene,
        "devices",
        html`<fieldset>
            <legend>${t.system.devices}</legend>
            ${problem !== null && html`<p class="problem">${t.problems[problem](t.system.devices)}</p>`}
            <ul class="devices">
              ${devices.map((device, index) => deviceChoice(scene, device, index))}
            </ul>
          </fieldset>
          ${
            address !== null &&
            html`<fieldset>
              <legend>${t.address.legend}</legend>
              <div class="fields">${fieldControls(scene, fields, address)}</div>
            </fieldset>`
          }
          ${mainButton(t.system.submit)}`
      )}
      ${cancelForm(scene)}`
  }
}

type ShownIntervention = Intervention & { readonly deviceName: string }

/** An adapter's own steps are in English; the other languages have a general one for each code. */
const intervention = ({ t, context: { language } }: FlowScene, shown: ShownIntervention): Html => {
  const { code, blocks, actor, deviceName } = shown
  const isOwnText = language === "en"
  const steps = isOwnText && shown.steps.length > 0 ? shown.steps : [t.interventions[code].step]
  const blocked = blocks.map((each) => (each === "telemetry" ? t.telemetry : t.commands[each]))
  return html`<li class="todo">
    <h3>${deviceName}: ${isOwnText ? shown.title : t.interventions[code].title}</h3>
    <p class="actor">${t.actors[actor]}</p>
    ${
      steps.length === 1
        ? html`<p>${steps[0]!}</p>`
        : html`<ol>
            ${steps.map((step) => html`<li>${step}</li>`)}
          </ol>`
    }
    ${blocked.length > 0 && html`<p class="blocks">${t.done.blocks} ${[...new Set(blocked)].join("; ")}</p>`}
  </li>`
}

const wayBack = ({ t, asker }: FlowScene, returnUrl: string | null, label: (asker: string) => string): HtmlValue => {
  const url = linkable(returnUrl)
  return url === null ? html`<p class="closing">${t.done.close}</p>` : linkButton(url, label(asker))
}

export const donePage = (scene: FlowScene, view: View<"done">): PageParts => {
  const { t, asker } = scene
  const { devices, interventions } = view
  return {
    name: "done",
    heading: t.done.title,
    badge: { icon: icons.check, tone: "good" },
    content: html`<p class="lead">${t.done.lead(asker, devices.length)}</p>
      <h2>${t.done.devices}</h2>
      <ul class="connected">
        ${devices.map(({ name, type }) => html`<li>${deviceIcons[type]}<span>${name}</span><span class="more">${t.deviceTypes[type]}</span></li>`)}
      </ul>
      ${
        interventions.length > 0 &&
        html`<h2>${t.done.interventions}</h2>
          <p>${t.done.interventionsLead}</p>
          <ul class="todos">
            ${interventions.map((each) => intervention(scene, each))}
          </ul>`
      }
      ${wayBack(scene, view.returnUrl, t.done.returnTo)}`
  }
}

/** Errors after which another attempt may succeed. The others end the matter, or say themselves what to do. */
const repeatable: ReadonlyArray<ConnectError> = [
  "access_denied",
  "no_devices",
  "account_mismatch",
  "consent_refused",
  "manufacturer_unavailable",
  "server_error"
]

export const errorPage = (scene: FlowScene, view: View<"error">): PageParts => {
  const { t, asker } = scene
  const manufacturer = view.manufacturer ?? t.unknownManufacturer
  const { title, happened, wayOn } = t.errors[view.error]
  const isGood = view.error === "duplicate_connection"
  const url = linkable(view.returnUrl)
  const needsLink = !view.canRetry && repeatable.includes(view.error)
  return {
    name: "error",
    heading: title,
    badge: isGood ? { icon: icons.check, tone: "good" } : { icon: icons.warning, tone: "bad" },
    content: html`<p class="lead">${happened(asker, manufacturer)}</p>
      <p>${wayOn(asker, manufacturer)}${needsLink && ` ${t.error.newLink(asker)}`}</p>
      <div class="actions">
        ${view.canRetry && stepForm(scene, "retry", mainButton(t.error.retry))}
        ${url !== null && linkButton(url, t.error.returnTo(asker), view.canRetry ? "plain" : "main")}
        ${!view.canRetry && url === null && html`<p class="closing">${t.done.close}</p>`}
      </div>`
  }
}

export const unknownPage = ({ t }: FlowScene): PageParts => ({
  name: "unknown",
  heading: t.unknown.title,
  badge: { icon: icons.broken, tone: "bad" },
  content: html`<p class="lead">${t.unknown.happened}</p>
    <p>${t.unknown.wayOn}</p>`
})
