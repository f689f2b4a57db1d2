import { Page } from "../kit/Page.tsx"
import { WayOn } from "../kit/StepForm.tsx"
import { shownHost } from "../scene/addresses.ts"
import type { Scene } from "../scene/scene.ts"

const wrong = { icon: "warning", tone: "bad" } as const

/** The form could not be read, or was sent by a method that the pages do not have. */
export const RefusedFormPage = ({ scene }: { readonly scene: Scene }) => {
  const { t, request } = scene
  return (
    <Page scene={scene} name="refused-form" heading={t.refusedForm.title} emblem={wrong}>
      <p className="lead">{t.refusedForm.happened}</p>
      <p>{t.refusedForm.wayOn}</p>
      {request.base !== null && <WayOn href={request.base}>{t.refusedForm.goOn}</WayOn>}
    </Page>
  )
}

/**
 * Leads elsewhere at once; the link is for browsers that do not follow. Where an app opens the address instead, this page stays:
 * one of a flow then shows how the flow goes on.
 */
export const LeavingPage = ({ scene, url }: { readonly scene: Scene; readonly url: string }) => {
  const { t, request } = scene
  const { base } = request
  return (
    <Page scene={scene} name={base === null ? "leaving" : "signing-in"} heading={t.leaving.title}>
      <p className="lead">{t.leaving.lead({ host: shownHost(url) })}</p>
      <WayOn href={url}>{t.leaving.goOn}</WayOn>
      {base !== null && (
        <p className="checks">
          <a href={base}>{t.leaving.check}</a>
        </p>
      )}
    </Page>
  )
}

/** An error outside of the flow, such as of a database that does not respond. */
export const FailurePage = ({ scene }: { readonly scene: Scene }) => {
  const { t, asker, request } = scene
  return (
    <Page scene={scene} name="failure" heading={t.failure.title} emblem={wrong}>
      <p className="lead">{t.failure.happened}</p>
      <p>{t.failure.wayOn({ asker })}</p>
      {request.base !== null && <WayOn href={request.base}>{t.failure.retry}</WayOn>}
    </Page>
  )
}
