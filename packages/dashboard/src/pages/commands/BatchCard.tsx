import type { BatchCommand } from "@edp/domain/commands/BatchCommand"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { commandStatuses } from "@edp/domain/commands/CommandStatus"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { workspaceAtom } from "../../api/session.ts"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { BatchesClient, batchesChanged, batchQuery } from "../../resources/batches.ts"
import { commandsQuery } from "../../resources/commands.ts"
import { Button } from "../../kit/Button.tsx"
import { commandStates, useInputText } from "../../kit/commands/CommandItem.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { Badge, Card, Facts } from "../../kit/components.tsx"
import { useAtomValue, useRefreshEvery } from "../../state/atoms.ts"
import { batchStates } from "./batchStates.ts"
import { NamedDeviceLink } from "./NamedDeviceLink.tsx"

/** Skipped devices that are named. */
const NAMED = 10
const EVERY_MS = 5000

/** Reads a batch and its commands again while it is under way, because its steps are no events. */
const Following = ({ id }: { readonly id: string }) => {
  useRefreshEvery(batchQuery(id), EVERY_MS)
  useRefreshEvery(commandsQuery({ batch: id }), EVERY_MS)
  return null
}

interface BatchProps {
  readonly batch: BatchCommand
  readonly onBatch: (id: string) => void
}

const Batch = ({ batch, onBatch }: BatchProps) => {
  const t = useMessages("commands")
  const command = useMessages("deviceCommands")
  const language = useLanguage()
  const inputText = useInputText()
  const toast = useToast()
  const call = useApi(BatchesClient)
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  const [isCancelling, setCancelling] = useState(false)
  const { counts, id, reasons, skipped, skippedTotal, status, total } = batch
  const isOpen = status === "pending" || status === "running"
  const count = (value: number) => formatNumber(language, value)
  const retry = useAction(() => call((client) => client.batchCommands.retryFailed({ params: { id } }), batchesChanged))
  return (
    <>
      {isOpen && <Following id={id} />}
      <p>
        <strong>{command.names[batch.type]}</strong>{" "}
        <Badge state={batchStates[status]}>{t.batchStatuses[status]}</Badge>{" "}
        <span className="muted">
          <Age time={batch.createdAt} live timeZone={timeZone} />
        </span>
      </p>
      {inputText(batch.input) !== "" && <p>{inputText(batch.input)}</p>}
      <ul className="commands-counts" aria-label={t.progress}>
        {commandStatuses
          .filter((each) => each !== "scheduled" || counts.scheduled > 0)
          .map((each) => (
            <li key={each}>
              <Badge state={commandStates[each]}>{command.statuses[each]}</Badge> <strong>{count(counts[each])}</strong>
            </li>
          ))}
      </ul>
      <progress
        className="commands-progress"
        max={Math.max(1, total)}
        value={counts.completed + counts.failed}
        aria-label={t.progress}
      />
      <Facts
        items={[
          [t.total, count(total)],
          ...Object.entries(reasons).map(
            ([reason, value]) => [command.reasons[reason as CommandReason] ?? reason, count(value)] as const
          ),
          [
            t.skipped,
            skippedTotal === 0 ? (
              count(0)
            ) : (
              <details key="skipped" className="commands-left-out">
                <summary>{count(skippedTotal)}</summary>
                <ul className="commands-skipped">
                  {skipped.slice(0, NAMED).map(({ code, deviceId }) => (
                    <li key={deviceId}>
                      <NamedDeviceLink id={deviceId} />: {t.skippedReasons[code]}
                    </li>
                  ))}
                  {skippedTotal > NAMED && <li>{t.skippedMore({ count: count(skippedTotal - NAMED) })}</li>}
                </ul>
              </details>
            )
          ]
        ]}
      />
      {retry.problem && <ProblemNotice problem={retry.problem} />}
      <div className="actions">
        {isOpen && (
          <Button small onClick={() => setCancelling(true)}>
            {t.cancelBatch}
          </Button>
        )}
        {!isOpen && counts.failed > 0 && (
          <Button
            small
            busy={retry.busy}
            onClick={() => void retry.run().then((made) => made !== undefined && onBatch(made.id))}
          >
            {t.retryBatch}
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={isCancelling}
        onClose={() => setCancelling(false)}
        title={t.cancelBatch}
        action={t.cancelBatch}
        act={async () => {
          await call((client) => client.batchCommands.cancel({ params: { id } }), batchesChanged)
          toast.done(t.batchCancelled)
        }}
      >
        {t.cancelBatchLead}
      </ConfirmDialog>
    </>
  )
}

/** The life of a batch: how many of its commands have come how far, the reasons of failures, and the devices that were left out. */
export const BatchCard = ({ id, onBatch }: { readonly id: string; readonly onBatch: (id: string) => void }) => {
  const t = useMessages("commands")
  return (
    <Card title={t.batch}>
      <div className="stack">
        <Loaded query={batchQuery(id)}>{(batch) => <Batch key={batch.id} batch={batch} onBatch={onBatch} />}</Loaded>
      </div>
    </Card>
  )
}
