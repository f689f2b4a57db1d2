import { Cause, Effect, Exit } from "effect"
import { useApi } from "../../api/makeApi.ts"
import { problemFromCause } from "../../api/problems.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { alertsChanged, AlertsClient } from "../../resources/alerts.ts"
import { Button } from "../../kit/Button.tsx"
import { ProblemNotice, useProblemText } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"

const actions = ["acknowledge", "resolve", "ignore"] as const
export type AlertAction = (typeof actions)[number]

/** Requests at once: a few, so that a page of alerts is soon done and others are not kept waiting. */
const AT_ONCE = 4

/** One act on several alerts. Alerts that cannot be changed do not keep the others from it. */
export const useAlertActions = (onDone: (done: ReadonlyArray<string>) => void) => {
  const t = useMessages("alerts")
  const explain = useProblemText()
  const toast = useToast()
  const call = useApi(AlertsClient)
  return useAction(async (act: AlertAction, ids: ReadonlyArray<string>, snoozeUntil?: string) => {
    const exits = await call(
      ({ alerts }) =>
        Effect.forEach(
          ids,
          (id) => {
            const change: Effect.Effect<unknown, unknown> =
              act === "acknowledge"
                ? alerts.acknowledge({ params: { id }, payload: snoozeUntil === undefined ? {} : { snoozeUntil } })
                : alerts[act]({ params: { id } })
            return Effect.exit(change)
          },
          { concurrency: AT_ONCE }
        ),
      alertsChanged
    )
    const failed = exits.filter(Exit.isFailure)
    const [first] = failed
    // When nothing succeeded, the act as a whole has failed.
    if (first !== undefined && failed.length === exits.length) throw Cause.squash(first.cause)
    if (first === undefined) toast.done(t.done({ count: ids.length }))
    else
      toast.failed(
        t.partly({
          done: ids.length - failed.length,
          failed: failed.length,
          reason: explain(problemFromCause(first.cause))
        })
      )
    onDone(ids.filter((_, index) => Exit.isSuccess(exits[index]!)))
    return true
  })
}

interface BulkActionsProps {
  readonly ids: ReadonlyArray<string>
  readonly onDone: (done: ReadonlyArray<string>) => void
}

/** Actions on the selected alerts. */
export const BulkActions = ({ ids, onDone }: BulkActionsProps) => {
  const t = useMessages("alerts")
  const { busy, problem, run } = useAlertActions(onDone)
  if (ids.length === 0 && problem === undefined) return null
  return (
    <div className="alerts-bulk" role="group" aria-label={t.selected({ count: ids.length })}>
      <span role="status">{t.selected({ count: ids.length })}</span>
      <div className="actions">
        {actions.map((act) => (
          <Button key={act} small busy={busy} disabled={ids.length === 0} onClick={() => void run(act, ids)}>
            {t[act]}
          </Button>
        ))}
      </div>
      {problem && <ProblemNotice problem={problem} />}
    </div>
  )
}
