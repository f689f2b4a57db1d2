import type { Command } from "@edp/domain/commands/Command"
import type { CommandStatus } from "@edp/domain/commands/CommandStatus"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useDisplayUnits } from "../../api/displayUnits.ts"
import { formatTime } from "../../i18n/format.ts"
import { formatShown } from "../../i18n/units.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { commandChanged, CommandsClient } from "../../resources/commands.ts"
import { Button } from "../Button.tsx"
import { ConfirmDialog } from "../ConfirmDialog.tsx"
import { CopyButton } from "../Copy.tsx"
import { Age } from "../Figure.tsx"
import { Badge, Facts, type State } from "../components.tsx"
import { useToast } from "../Toasts.tsx"
import "./CommandItem.css"

export const commandStates: Readonly<Record<CommandStatus, State>> = {
  pending: "info",
  scheduled: "info",
  delivered: "info",
  completed: "good",
  failed: "bad"
}

interface CommandItemProps {
  readonly command: Command
  readonly timeZone: string
  /** Its steps are shown at first, even if it has ended. */
  readonly isExpanded?: boolean
}

export const isCommandOpen = ({ status }: Command) => status !== "completed" && status !== "failed"
const isCancellable = ({ status }: Command) => status === "pending" || status === "scheduled"

/** The input in words, such as "Mode: Charge, Power, W: 1500". */
export const useInputText = () => {
  const t = useMessages("deviceCommands")
  const { words, yes, no } = useMessages("fields")
  const language = useLanguage()
  const units = useDisplayUnits()
  const show = (name: string, value: unknown) => {
    if (typeof value === "boolean") return value ? yes : no
    if (typeof value === "number" && (name === "heatTarget" || name === "coolTarget"))
      return formatShown(language, value, "°F", units)
    return words[String(value)] ?? String(value)
  }
  return (input: Readonly<Record<string, unknown>>) =>
    Object.entries(input)
      .map(([name, value]) => `${t.inputs[name] ?? name}: ${show(name, value)}`)
      .join(" · ")
}

const Transitions = ({ command, timeZone }: CommandItemProps) => {
  const t = useMessages("deviceCommands")
  const language = useLanguage()
  const show = (time: string) =>
    formatTime(language, Date.parse(time), { dateStyle: "medium", timeStyle: "medium", timeZone })
  return (
    <ol className="command-steps">
      {command.transitions.map(({ status, at }) => (
        <li key={status} className={commandStates[status]}>
          <span>
            {t.steps[status]}
            {(status === "failed" || status === "completed") && command.reason && `: ${t.reasons[command.reason]}`}
            {status === "completed" && command.note && `: ${t.notes[command.note.code]}`}
          </span>
          <time dateTime={at}>{show(at)}</time>
        </li>
      ))}
      {isCancellable(command) && command.scheduledFor !== undefined && (
        <li className="plain">
          <span>{t.due}</span>
          <time dateTime={command.scheduledFor}>{show(command.scheduledFor)}</time>
        </li>
      )}
      {isCancellable(command) && command.expiresAt !== undefined && (
        <li className="plain">
          <span>{t.expires}</span>
          <time dateTime={command.expiresAt}>{show(command.expiresAt)}</time>
        </li>
      )}
      {command.lateResult !== undefined && (
        <li className={commandStates[command.lateResult.status]}>
          <span>
            {t.late({ result: t.statuses[command.lateResult.status] })}
            {command.lateResult.reason && `: ${t.reasons[command.lateResult.reason]}`}
          </span>
          <time dateTime={command.lateResult.at}>{show(command.lateResult.at)}</time>
        </li>
      )}
    </ol>
  )
}

const Upstream = ({ upstream }: { readonly upstream: Command["upstream"] }) => {
  const t = useMessages("deviceCommands")
  if (upstream === null) return <p className="muted">{t.noUpstream}</p>
  const { statusCode, errorCode, errorMessage, requestId } = upstream
  return (
    <div className="stack tight">
      <Facts
        items={[
          [t.upstreamFields.statusCode, statusCode],
          [t.upstreamFields.errorCode, errorCode],
          [t.upstreamFields.requestId, requestId]
        ]}
      />
      {errorMessage !== null && (
        <>
          <p className="muted">{t.upstreamFields.errorMessage}</p>
          <pre className="command-raw" tabIndex={0} role="region" aria-label={t.upstreamFields.errorMessage}>
            {errorMessage}
          </pre>
        </>
      )}
    </div>
  )
}

const CancelButton = ({ command }: { readonly command: Command }) => {
  const t = useMessages("deviceCommands")
  const toast = useToast()
  const call = useApi(CommandsClient)
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {t.cancel}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t.cancelTitle}
        action={t.cancelAction}
        act={async () => {
          await call((client) => client.commands.cancel({ params: { id: command.id } }), commandChanged)
          toast.done(t.cancelled)
        }}
      >
        {t.cancelLead}
      </ConfirmDialog>
    </>
  )
}

/** A command with its status, its input, the time of each step and the response of the manufacturer. */
export const CommandItem = ({ command, timeZone, isExpanded = false }: CommandItemProps) => {
  const t = useMessages("deviceCommands")
  const inputText = useInputText()
  // One that ends while it is looked at stays open.
  const [wasOpen] = useState(isExpanded || isCommandOpen(command))
  const input = inputText(command.input as Readonly<Record<string, unknown>>)
  return (
    <article className="command-item">
      <div className="command-item-head">
        <strong>{t.names[command.type]}</strong>
        <Badge state={commandStates[command.status]}>{t.statuses[command.status]}</Badge>
        {command.reason !== undefined && <span>{t.reasons[command.reason]}</span>}
        {command.note !== undefined && <span>{t.notes[command.note.code]}</span>}
        <span className="muted">
          <Age time={command.issuedAt} live timeZone={timeZone} />
        </span>
        {isCancellable(command) && <CancelButton command={command} />}
      </div>
      {input !== "" && <p>{input}</p>}
      <details open={wasOpen}>
        <summary>{t.more}</summary>
        <div className="stack">
          <div>
            <h3>{t.transitions}</h3>
            <Transitions command={command} timeZone={timeZone} />
          </div>
          <div>
            <h3>{t.upstream}</h3>
            <Upstream upstream={command.upstream} />
          </div>
          {command.output !== null && (
            <div>
              <h3>{t.output}</h3>
              <pre className="command-raw" tabIndex={0} role="region" aria-label={t.output}>
                {JSON.stringify(command.output, null, 2)}
              </pre>
            </div>
          )}
          <Facts
            items={[
              [
                t.source,
                command.source === "dispatch" && command.sourceId !== undefined ? (
                  <Link key="source" to="/dashboard/dispatches/$id" params={{ id: command.sourceId }}>
                    {t.sources.dispatch}
                  </Link>
                ) : (
                  t.sources[command.source]
                )
              ],
              ...(command.forcedMode === undefined
                ? []
                : [[t.holds, <Age key="holds" time={command.forcedMode.until} />] as const]),
              ...(command.batchId === undefined ? [] : [[t.batch, command.batchId] as const]),
              [
                t.id,
                <span key="id" className="command-id">
                  <code>{command.id}</code>
                  <CopyButton text={command.id} />
                </span>
              ]
            ]}
          />
        </div>
      </details>
    </article>
  )
}
