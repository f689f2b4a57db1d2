import { mainButton, stepForm } from "../../platform/pages/controls.ts"
import { html, type HtmlValue } from "../../platform/pages/html.ts"
import { icons } from "../../platform/pages/icons.ts"
import type { PageParts } from "../../platform/pages/layout.ts"
import type { EnrollView, IneligibleReason, ShownAction, ShownProgram } from "../enrollView.ts"
import { prose } from "./applyPages.ts"
import { instant, instantInWords } from "./dates.ts"
import type { EnrollScene } from "./texts/texts.ts"

type View<Name extends EnrollView["page"]> = Extract<EnrollView, { readonly page: Name }>

const plainPage = (
  name: EnrollView["page"],
  heading: string,
  lines: ReadonlyArray<string>,
  badge: NonNullable<PageParts["badge"]>
): PageParts => ({
  name,
  heading,
  badge,
  content: lines.map((line, index) => (index === 0 ? html`<p class="lead">${line}</p>` : html`<p>${line}</p>`))
})

const later = { icon: icons.clock, tone: "plain" } as const
const no = { icon: icons.warning, tone: "bad" } as const
const yes = { icon: icons.check, tone: "good" } as const

export const closedPage = ({ asker, context: { language }, t }: EnrollScene, view: View<"closed">): PageParts => {
  const { happened, title } = t.closed[view.closed]
  const date = view.at === null ? null : instantInWords(language, view.at)
  return {
    name: "closed",
    heading: title,
    badge: later,
    content: html`<p class="lead">${view.title}: ${happened(date)}</p>
      <p>${t.closedWayOn(asker)}</p>`
  }
}

export const enrolledPage = ({ asker, t: { enrolled } }: EnrollScene): PageParts =>
  plainPage("enrolled", enrolled.title, [enrolled.lead, enrolled.wayOn(asker)], later)

export const returnedPage = ({ t: { returned } }: EnrollScene): PageParts =>
  plainPage("returned", returned.title, [returned.lead], yes)

export const expiredPage = ({ asker, t: { expired } }: EnrollScene): PageParts =>
  plainPage("expired", expired.title, [expired.lead, expired.wayOn(asker)], later)

export const unknownPage = ({ t: { unknown } }: EnrollScene): PageParts =>
  plainPage("unknown", unknown.title, [unknown.lead, unknown.wayOn], { icon: icons.broken, tone: "bad" })

/** The sentences on devices are in English; the other languages have a general one. */
const reasonLines = (
  { context: { language }, t }: EnrollScene,
  reason: IneligibleReason,
  { states }: ShownProgram
): ReadonlyArray<string> => {
  if (reason.code === "state_not_served") return [t.ineligible.state(reason.state, states)]
  return language === "en" && reason.sentences.length > 0 ? reason.sentences : [t.ineligible.devices]
}

export const ineligiblePage = (scene: EnrollScene, { program, reasons }: View<"ineligible">): PageParts => {
  const { asker, t } = scene
  const { eligibilityCriteria, title } = program
  return {
    name: "ineligible",
    heading: t.ineligible.title,
    badge: no,
    content: html`<p class="lead">${t.ineligible.lead(title)}</p>
      <h2>${t.ineligible.reasons}</h2>
      <ul class="marked no">
        ${reasons.flatMap((reason) => reasonLines(scene, reason, program)).map((line) => html`<li>${icons.cross}<span>${line}</span></li>`)}
      </ul>
      ${eligibilityCriteria.trim() !== "" && html`<h2>${t.ineligible.conditions}</h2>`} ${prose(eligibilityCriteria)}
      <p class="closing">${t.ineligible.wayOn(asker)}</p>`
  }
}

const action = ({ t }: EnrollScene, shown: ShownAction): HtmlValue => {
  const isObstacle = shown.code === "intervention"
  const title = isObstacle
    ? `${shown.deviceName}: ${t.interventions[shown.intervention].title}`
    : t.status.actions[shown.code]
  return html`<li class="todo${shown.done && " finished"}">
    <h3>${shown.done && icons.check}${title}</h3>
    <p class="actor">${shown.done ? t.status.done : `${t.status.open} · ${t.actors[shown.actor]}`}</p>
    ${isObstacle && html`<p>${t.interventions[shown.intervention].step}</p>`}
  </li>`
}

const opening = (scene: EnrollScene, view: View<"status">, isConnected: boolean) => {
  const { asker, t } = scene
  const { title } = view.program
  switch (view.status) {
    case "approved":
      return { heading: t.status.approvedTitle, lead: t.status.approvedLead(title), badge: yes }
    case "rejected":
      return { heading: t.status.rejectedTitle, lead: t.status.rejectedLead(asker), badge: no }
    case "unenrolled":
      return { heading: t.status.unenrolledTitle, lead: t.status.unenrolledLead(title), badge: later }
    default:
      if (!isConnected) return { heading: t.status.connectTitle, lead: t.status.connectLead(title), badge: undefined }
      return view.status === "submitted"
        ? { heading: t.status.waitingTitle, lead: t.status.waitingLead(asker), badge: yes }
        : { heading: t.status.checkingTitle, lead: t.status.checkingLead, badge: yes }
  }
}

export const statusPage = (scene: EnrollScene, view: View<"status">): PageParts => {
  const { asker, context, t } = scene
  const { actions, activatesAt, canConnect, isDuplicate, reason } = view
  const isConnected = actions.some(({ code, done }) => code === "connect_device" && done)
  const { badge, heading, lead } = opening(scene, view, isConnected)
  const isWaiting = isConnected && view.status === "submitted"
  const hasNothingToDo = isWaiting && actions.every(({ actor, done }) => done || actor !== "owner")
  const button = isConnected
    ? html`<button class="button plain" type="submit">${t.status.connectAnother}</button>`
    : mainButton(t.status.connect)
  return {
    name: "status",
    heading,
    ...(badge !== undefined && { badge }),
    content: html`<p class="lead">${lead}</p>
      ${hasNothingToDo && html`<p>${t.status.nothing}</p>`}
      ${reason !== null && html`<p>${t.status.reason(reason)}</p>`}
      ${isDuplicate && html`<div class="note"><p>${t.status.duplicate(asker)}</p></div>`}
      ${canConnect && !isConnected && stepForm(scene, "connect", button)}
      ${
        activatesAt !== null &&
        html`<dl class="facts">
          <dt>${t.status.activatesAt}</dt>
          <dd>${instant(context.language, activatesAt)}</dd>
        </dl>`
      }
      ${
        actions.length > 0 &&
        html`<h2>${actions.every(({ done }) => done) ? t.status.noSteps : t.status.steps}</h2>
          <ul class="todos">
            ${actions.map((each) => action(scene, each))}
          </ul>`
      }
      ${canConnect && isConnected && stepForm(scene, "connect", button, "actions")}
      ${canConnect && html`<p class="closing">${t.status.keep}</p>`}`
  }
}
