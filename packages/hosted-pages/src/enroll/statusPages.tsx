import { Icon } from "@edp/dashboard/kit/Icon.tsx"
import { Facts, Notice } from "@edp/dashboard/kit/components.tsx"
import type { ReactNode } from "react"
import { MarkedList } from "../kit/DeviceIcon.tsx"
import { type Emblem, Page } from "../kit/Page.tsx"
import { SendButton, StepForm, WayOn } from "../kit/StepForm.tsx"
import { Prose, type ViewProps } from "./applyPages.tsx"
import { Instant, instantInWords, listChoices } from "./dates.tsx"
import type { EnrollView, IneligibleReason, ShownAction, ShownProgram } from "./pageTypes.ts"
import { write } from "../scene/messages.ts"
import type { EnrollScene } from "./messages.ts"

interface PlainPageProps {
  readonly scene: EnrollScene
  readonly name: EnrollView["page"]
  readonly heading: string
  readonly lines: ReadonlyArray<string>
  readonly emblem: Emblem
  readonly children?: ReactNode
}

const PlainPage = ({ lines, children, ...page }: PlainPageProps) => (
  <Page {...page}>
    {lines.map((line, index) => (
      <p key={index} className={index === 0 ? "lead" : undefined}>
        {line}
      </p>
    ))}
    {children}
  </Page>
)

const later = { icon: "clock", tone: "plain" } as const
const no = { icon: "warning", tone: "bad" } as const
const yes = { icon: "check", tone: "good" } as const

export const ClosedPage = ({ scene, view }: ViewProps<"closed">) => {
  const { asker, context, t } = scene
  const { happened, title } = t.closed[view.closed]
  const date = view.at === null ? null : instantInWords(context.language, view.at)
  const lines = [`${view.title}: ${write(happened, { date })}`, t.closedWayOn({ asker })]
  return <PlainPage scene={scene} name="closed" heading={title} emblem={later} lines={lines} />
}

interface SceneProps {
  readonly scene: EnrollScene
}

export const ReturnedPage = ({ scene }: SceneProps) => {
  const { lead, title } = scene.t.returned
  return <PlainPage scene={scene} name="returned" heading={title} lines={[lead]} emblem={yes} />
}

export const ExpiredPage = ({ scene }: SceneProps) => {
  const { lead, title, wayOn } = scene.t.expired
  return (
    <PlainPage
      scene={scene}
      name="expired"
      heading={title}
      lines={[lead, wayOn({ asker: scene.asker })]}
      emblem={later}
    />
  )
}

export const UnknownPage = ({ scene }: SceneProps) => {
  const { lead, title, wayOn } = scene.t.unknown
  const emblem = { icon: "broken", tone: "bad" } as const
  return <PlainPage scene={scene} name="unknown" heading={title} lines={[lead, wayOn]} emblem={emblem} />
}

export const ConfirmPage = ({ scene, view: { hasBegun, link, title } }: ViewProps<"confirm">) => {
  const { request, t } = scene
  const { confirm } = t
  const page = { scene, name: "confirm" } as const
  switch (link) {
    case "open":
      return (
        <Page {...page} heading={confirm.openTitle}>
          <p className="lead">{confirm.openLead({ title })}</p>
          <StepForm scene={scene} step="confirm">
            <SendButton>{confirm.button}</SendButton>
          </StepForm>
          <p className="closing">{confirm.ignore}</p>
        </Page>
      )
    case "confirmed":
      return (
        <PlainPage {...page} heading={confirm.confirmedTitle} lines={[confirm.confirmedLead]} emblem={yes}>
          {hasBegun && request.base !== null && <WayOn href={`${request.base}/back`}>{confirm.goOn}</WayOn>}
        </PlainPage>
      )
    case "already":
      return (
        <PlainPage {...page} heading={confirm.alreadyTitle} lines={[confirm.alreadyLead({ title })]} emblem={yes} />
      )
    case "expired":
      return <PlainPage {...page} heading={confirm.expiredTitle} lines={[confirm.expiredLead]} emblem={later} />
    case "unknown":
      return <PlainPage {...page} heading={confirm.usedTitle} lines={[confirm.usedLead]} emblem={later} />
  }
}

/** The sentences on devices are in English; the other languages have a general one. */
const reasonLines = (
  { context: { language }, t }: EnrollScene,
  reason: IneligibleReason,
  { states }: ShownProgram
): ReadonlyArray<string> => {
  if (reason.code === "state_not_served")
    return [t.ineligible.state({ state: reason.state, states: listChoices(language, states) })]
  return language === "en" && reason.sentences.length > 0 ? reason.sentences : [t.ineligible.devices]
}

export const IneligiblePage = ({ scene, view: { program, reasons } }: ViewProps<"ineligible">) => {
  const { asker, t } = scene
  const { eligibilityCriteria, title } = program
  const lines = reasons.flatMap((reason) => reasonLines(scene, reason, program))
  return (
    <Page scene={scene} name="ineligible" heading={t.ineligible.title} emblem={no}>
      <p className="lead">{t.ineligible.lead({ title })}</p>
      <h2>{t.ineligible.reasons}</h2>
      <MarkedList lines={lines} icon="cross" tone="no" />
      {eligibilityCriteria.trim() !== "" && <h2>{t.ineligible.conditions}</h2>}
      <Prose text={eligibilityCriteria} />
      <p className="closing">{t.ineligible.wayOn({ asker })}</p>
    </Page>
  )
}

interface ActionProps extends ViewProps<"status"> {
  readonly shown: ShownAction
}

/** The parts of an action beside its title. */
const ActionDetails = ({ scene, shown, view: { unconfirmedEmail } }: ActionProps) => {
  const { t } = scene
  if (shown.code === "intervention") return <p>{t.interventions[shown.intervention].step}</p>
  if (shown.code !== "confirm_email" || unconfirmedEmail === null) return null
  return (
    <>
      <p>{t.status.confirmEmail({ email: unconfirmedEmail })}</p>
      <StepForm scene={scene} step="email">
        <SendButton tone="plain">{t.status.sendAgain}</SendButton>
      </StepForm>
    </>
  )
}

const Action = (props: ActionProps) => {
  const { shown } = props
  const { t } = props.scene
  const title =
    shown.code === "intervention"
      ? `${shown.deviceName}: ${t.interventions[shown.intervention].title}`
      : t.status.actions[shown.code]
  return (
    <li className={shown.done ? "todo finished" : "todo"}>
      <h3>
        {shown.done && <Icon name="check" />}
        {title}
      </h3>
      <p className="actor">{shown.done ? t.status.done : `${t.status.open} · ${t.actors[shown.actor]}`}</p>
      <ActionDetails {...props} />
    </li>
  )
}

const opening = ({ scene, view }: ViewProps<"status">, isConnected: boolean) => {
  const { asker, t } = scene
  const { title } = view.program
  switch (view.status) {
    case "approved":
      return { heading: t.status.approvedTitle, lead: t.status.approvedLead({ title }), emblem: yes }
    case "rejected":
      return { heading: t.status.rejectedTitle, lead: t.status.rejectedLead({ asker }), emblem: no }
    case "unenrolled":
      return { heading: t.status.unenrolledTitle, lead: t.status.unenrolledLead({ title }), emblem: later }
    default:
      if (!isConnected) {
        const heading = view.unconfirmedEmail === null ? t.status.connectTitle : t.status.connectNext
        return { heading, lead: t.status.connectLead({ title }), emblem: undefined }
      }
      return view.status === "submitted"
        ? { heading: t.status.waitingTitle, lead: t.status.waitingLead({ asker }), emblem: yes }
        : { heading: t.status.checkingTitle, lead: t.status.checkingLead, emblem: yes }
  }
}

export const StatusPage = ({ scene, view }: ViewProps<"status">) => {
  const { asker, context, t } = scene
  const { actions, activatesAt, canConnect, isDuplicate, reason } = view
  const isConnected = actions.some(({ code, done }) => code === "connect_device" && done)
  const { emblem, heading, lead } = opening({ scene, view }, isConnected)
  const isWaiting = isConnected && view.status === "submitted"
  const hasNothingToDo = isWaiting && actions.every(({ actor, done }) => done || actor !== "owner")
  return (
    <Page scene={scene} name="status" heading={heading} emblem={emblem}>
      <p className="lead">{lead}</p>
      {hasNothingToDo && <p>{t.status.nothing}</p>}
      {reason !== null && <p>{t.status.reason({ reason })}</p>}
      {isDuplicate && <Notice state="plain">{t.status.duplicate({ asker })}</Notice>}
      {canConnect && !isConnected && (
        <StepForm scene={scene} step="connect">
          <SendButton>{t.status.connect}</SendButton>
        </StepForm>
      )}
      {activatesAt !== null && (
        <Facts items={[[t.status.activatesAt, <Instant language={context.language} iso={activatesAt} />]]} />
      )}
      {actions.length > 0 && (
        <>
          <h2>{actions.every(({ done }) => done) ? t.status.noSteps : t.status.steps}</h2>
          <ul className="todos">
            {actions.map((each, index) => (
              <Action key={index} scene={scene} view={view} shown={each} />
            ))}
          </ul>
        </>
      )}
      {canConnect && isConnected && (
        <StepForm scene={scene} step="connect" className="actions">
          <SendButton tone="plain">{t.status.connectAnother}</SendButton>
        </StepForm>
      )}
      {canConnect && <p className="closing">{t.status.keep}</p>}
    </Page>
  )
}
