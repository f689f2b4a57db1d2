import { shownHost } from "./addresses.ts"
import { linkButton } from "./controls.ts"
import { html } from "./html.ts"
import { icons } from "./icons.ts"
import type { PageParts, Scene } from "./layout.ts"

/** The form could not be read, or was sent by a method that the pages do not have. */
export const refusedFormPage = ({ t, request }: Scene): PageParts => ({
  name: "refused-form",
  heading: t.refusedForm.title,
  badge: { icon: icons.warning, tone: "bad" },
  content: html`<p class="lead">${t.refusedForm.happened}</p>
    <p>${t.refusedForm.wayOn}</p>
    ${request.base !== null && linkButton(request.base, t.refusedForm.goOn)}`
})

/** Leads elsewhere at once; the link is for browsers that do not follow. */
export const leavingPage = ({ t }: Scene, url: string): PageParts => ({
  name: "leaving",
  heading: t.leaving.title,
  content: html`<p class="lead">${t.leaving.lead(shownHost(url))}</p>
    ${linkButton(url, t.leaving.goOn)}`
})

/** An error outside of the flow, such as of a database that does not respond. */
export const failurePage = ({ t, asker, request }: Scene): PageParts => ({
  name: "failure",
  heading: t.failure.title,
  badge: { icon: icons.warning, tone: "bad" },
  content: html`<p class="lead">${t.failure.happened}</p>
    <p>${t.failure.wayOn(asker)}</p>
    ${request.base !== null && linkButton(request.base, t.failure.retry)}`
})
