import type { Schedule } from "@edp/domain/schedules/Schedule"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { scheduleQuery, SchedulesClient, schedulesChanged, transitionsQuery } from "../../resources/schedules.ts"
import { Button } from "../../kit/Button.tsx"
import { useInputText } from "../../kit/commands/CommandItem.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { Badge, Facts } from "../../kit/components.tsx"
import { Target } from "./targets.tsx"
import { Week } from "./Week.tsx"

/** Changes that are listed: those of some days. */
const SHOWN = 10

const Transitions = ({ schedule: { deviceType, timezone, defaultMode, rules } }: { readonly schedule: Schedule }) => {
  const t = useMessages("schedules")
  const language = useLanguage()
  const inputText = useInputText()
  return (
    <Loaded query={transitionsQuery({ deviceType, timezone, defaultMode, rules })}>
      {({ transitions }) =>
        transitions.length === 0 ? (
          <p className="muted">{t.noTransitions}</p>
        ) : (
          <ul className="schedules-changes">
            {transitions.slice(0, SHOWN).map(({ at, mode, rule }) => (
              <li key={at}>
                <time dateTime={at}>
                  {formatTime(language, Date.parse(at), {
                    weekday: "short",
                    dateStyle: undefined,
                    month: "short",
                    day: "numeric",
                    hour: "numeric",
                    minute: "2-digit",
                    timeZone: timezone
                  })}
                </time>
                {" – "}
                {inputText(mode as Readonly<Record<string, unknown>>)}{" "}
                <span className="muted">({rule === null ? t.byDefault : t.rule({ number: `${rule + 1}` })})</span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

interface ActionsProps {
  readonly schedule: Schedule
  readonly onEdit: () => void
  readonly onClose: () => void
}

const Actions = ({ schedule, onEdit, onClose }: ActionsProps) => {
  const t = useMessages("schedules")
  const toast = useToast()
  const call = useApi(SchedulesClient)
  const [isRemoving, setRemoving] = useState(false)
  const { enabled, id, name } = schedule
  const pause = useAction(async () => {
    await call(
      (client) => client.schedules.update({ params: { id }, payload: { enabled: !enabled } }),
      schedulesChanged
    )
    toast.done(enabled ? t.pausedDone : t.resumedDone)
  })
  return (
    <>
      {pause.problem && <ProblemNotice problem={pause.problem} />}
      <div className="actions">
        <Button icon="pen" onClick={onEdit}>
          {t.change}
        </Button>
        <Button busy={pause.busy} onClick={() => void pause.run()}>
          {enabled ? t.pause : t.resume}
        </Button>
        <Button tone="danger" icon="trash" onClick={() => setRemoving(true)}>
          {t.remove}
        </Button>
      </div>
      <ConfirmDialog
        open={isRemoving}
        onClose={() => setRemoving(false)}
        title={t.removeTitle}
        name={name}
        action={t.removeTitle}
        act={async () => {
          await call((client) => client.schedules.remove({ params: { id } }), schedulesChanged)
          toast.done(t.removed)
          onClose()
        }}
      >
        {t.removeLead}
      </ConfirmDialog>
    </>
  )
}

interface ScheduleDetailsProps {
  /** The schedule of the address; undefined for none. */
  readonly id: string | undefined
  readonly onEdit: (id: string) => void
  readonly onClose: () => void
}

/** A schedule with its week, its next changes and what can be done with it. */
export const ScheduleDetails = ({ id, onEdit, onClose }: ScheduleDetailsProps) => {
  const t = useMessages("schedules")
  const { types } = useMessages("devices")
  return (
    <Dialog open={id !== undefined} onClose={onClose} title={t.schedule} wide>
      {id !== undefined && (
        <Loaded query={scheduleQuery(id)}>
          {(schedule) => (
            <div className="stack">
              <h3>{schedule.name}</h3>
              <Facts
                items={[
                  [t.target, <Target key="target" target={schedule.target} />],
                  [t.type, types[schedule.deviceType]],
                  [
                    t.state,
                    <Badge key="state" state={schedule.enabled ? "good" : "plain"}>
                      {schedule.enabled ? t.enabled : t.paused}
                    </Badge>
                  ]
                ]}
              />
              <Week {...schedule} />
              <h3>{t.transitions}</h3>
              <Transitions schedule={schedule} />
              <p className="muted">{t.precedence}</p>
              <Actions schedule={schedule} onEdit={() => onEdit(schedule.id)} onClose={onClose} />
            </div>
          )}
        </Loaded>
      )}
    </Dialog>
  )
}
