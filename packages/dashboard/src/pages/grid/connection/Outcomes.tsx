import type { GridEvent, GridOutcome } from "@edp/domain/grid/GridEvent"
import { Link } from "@tanstack/react-router"
import { useMessages } from "../../../i18n/useMessages.ts"

/** Dispatches of an event that a row links to. */
const SHOWN_DISPATCHES = 3

const DispatchLinks = ({ ids, shown }: { readonly ids: ReadonlyArray<string>; readonly shown: number }) => {
  const t = useMessages("grid")
  return (
    <>
      {ids.slice(0, shown).map((id, index) => (
        <Link key={id} to="/dashboard/dispatches/$id" params={{ id }}>
          {ids.length === 1 ? t.dispatch : t.dispatchNumber({ number: `${index + 1}` })}
        </Link>
      ))}
      {ids.length > shown && <span className="muted">{t.moreDispatches({ count: ids.length - shown })}</span>}
    </>
  )
}

interface OutcomesProps {
  readonly event: GridEvent
  /** Every dispatch is linked. */
  readonly isWhole?: boolean
}

/** The outcome of each type of payload, with the dispatches that follow the event. */
export const Outcomes = ({ event: { dispatchIds, outcomes }, isWhole = false }: OutcomesProps) => {
  const t = useMessages("grid")
  const words: Readonly<Record<GridOutcome, string>> = t.outcomes
  return (
    <div className="grid-outcomes">
      {outcomes.length === 0 && <span className="muted">{t.noOutcome}</span>}
      {outcomes.map(({ detail, outcome, payloadType }) => (
        <span key={payloadType}>
          {outcomes.length > 1 && `${payloadType}: `}
          {words[outcome]}
          {detail !== null && <span className="muted"> {detail}</span>}
        </span>
      ))}
      <DispatchLinks ids={dispatchIds} shown={isWhole ? dispatchIds.length : SHOWN_DISPATCHES} />
    </div>
  )
}
