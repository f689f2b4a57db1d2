import type { Dispatch } from "@edp/domain/dispatches/Dispatch"
import { Link } from "@tanstack/react-router"
import { useContext, useEffect, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useDisplayUnits } from "../../api/displayUnits.ts"
import { workspaceAtom } from "../../api/session.ts"
import { formatQuantity, formatTime, type Unit } from "../../i18n/format.ts"
import { formatShown } from "../../i18n/units.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { dispatchChanged, DispatchesClient, dispatchQuery } from "../../resources/dispatches.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { TextField } from "../../kit/Field.tsx"
import { LoadedRecord } from "../../kit/LoadedRecord.tsx"
import { Badge, Card, Facts, PageHeader } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { Table } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { dispatchStates } from "../../kit/states.ts"
import { RegistryContext, useAtomValue } from "../../state/atoms.ts"
import "./dispatch.css"
import { Participants } from "./Participants.tsx"
import { actionMessages } from "./actionMessages.ts"
import { Report } from "./Report.tsx"

const route = pageRoute("/dashboard/dispatches/$id")

/** A dispatch that is announced or runs is read again this often. */
const REFRESH_MS = 15_000

interface PartProps {
  readonly dispatch: Dispatch
  readonly timeZone: string
}

const CancelDialog = ({ dispatch, onClose, open }: { dispatch: Dispatch; open: boolean; onClose: () => void }) => {
  const t = useMessages("dispatch")
  const toast = useToast()
  const call = useApi(DispatchesClient)
  const [reason, setReason] = useState("")
  const { id, name } = dispatch
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t.cancelTitle}
      name={name}
      action={t.cancelTitle}
      act={async () => {
        const payload = reason.trim() === "" ? {} : { reason: reason.trim() }
        await call((client) => client.dispatches.cancel({ params: { id }, payload }), dispatchChanged(id))
        toast.done(t.cancelled)
      }}
    >
      <div className="stack">
        <p>{t.cancelText}</p>
        <TextField label={t.reason} value={reason} onChange={setReason} maxLength={1000} />
      </div>
    </ConfirmDialog>
  )
}

const Head = ({ dispatch }: Pick<PartProps, "dispatch">) => {
  const t = useMessages("dispatch")
  const toast = useToast()
  const call = useApi(DispatchesClient)
  const [cancelling, setCancelling] = useState(false)
  const { id, name, programInstanceId, reason, status, test, voluntary } = dispatch
  const announce = useAction(async () => {
    await call(
      (client) => client.dispatches.update({ params: { id }, payload: { status: "scheduled" } }),
      dispatchChanged(id)
    )
    toast.done(t.announced)
  })
  return (
    <>
      <PageHeader
        title={name}
        above={
          <Link to="/dashboard/dispatches" search={{ instance: programInstanceId }}>
            {t.dispatches}
          </Link>
        }
        lead={
          <span className="dispatch-dispatchStates">
            <Badge state={dispatchStates[status]}>{t.statuses[status]}</Badge>
            {test && <Badge state="warn">{t.test}</Badge>}
            {!voluntary && <Badge>{t.mandatory}</Badge>}
            {reason !== null && <span>{reason}</span>}
          </span>
        }
        actions={
          <>
            {status === "draft" && (
              <Button tone="main" busy={announce.busy} onClick={() => void announce.run()}>
                {t.announce}
              </Button>
            )}
            {status !== "completed" && status !== "cancelled" && (
              <Button tone="danger" onClick={() => setCancelling(true)}>
                {t.cancel}
              </Button>
            )}
          </>
        }
      />
      {announce.problem && <ProblemNotice problem={announce.problem} />}
      <CancelDialog dispatch={dispatch} open={cancelling} onClose={() => setCancelling(false)} />
    </>
  )
}

const Details = ({ dispatch, timeZone }: PartProps) => {
  const t = useMessages("dispatch")
  const { types } = useMessages("devices")
  const language = useLanguage()
  const units = useDisplayUnits()
  const show = (value: number, unit: Unit) => formatShown(language, value, unit, units)
  const time = (text: string) =>
    formatTime(language, Date.parse(text), { dateStyle: "medium", timeStyle: "short", timeZone })
  return (
    <Card>
      <div className="stack">
        <Facts
          items={[
            [t.starts, time(dispatch.startsAt)],
            [t.ends, time(dispatch.endsAt)],
            [t.zone, timeZone],
            [t.nominated, dispatch.nominatedPowerW && formatQuantity(language, dispatch.nominatedPowerW, "W")],
            [t.baseline, t.baselineMethods[dispatch.baseline.method]],
            [t.random, formatQuantity(language, dispatch.randomizeStartSeconds, "s")],
            [t.priority, String(dispatch.priority)]
          ]}
        />
        <Table
          caption={t.intervals}
          rows={dispatch.intervals}
          id={({ startsAt }) => startsAt}
          columns={[
            { id: "start", header: t.interval, isName: true, cell: ({ startsAt }) => time(startsAt) },
            {
              id: "length",
              header: t.length,
              cell: ({ durationSeconds }) => formatQuantity(language, durationSeconds / 60, "") + " min"
            },
            {
              id: "actions",
              header: t.actions,
              cell: ({ actions }) => actionMessages(actions, t, types, show).join("; ")
            }
          ]}
        />
      </div>
    </Card>
  )
}

/** Reads the dispatch and what belongs to it again while it goes on. */
const useFollowing = ({ id, status }: Dispatch) => {
  const registry = useContext(RegistryContext)
  const goesOn = status === "scheduled" || status === "running"
  useEffect(() => {
    if (!goesOn) return
    const timer = setInterval(
      () => document.visibilityState === "visible" && registry.refresh(dispatchQuery(id)),
      REFRESH_MS
    )
    return () => clearInterval(timer)
  }, [registry, id, goesOn])
}

const Shown = ({ dispatch }: Pick<PartProps, "dispatch">) => {
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  useFollowing(dispatch)
  return (
    <>
      <Head dispatch={dispatch} />
      <Details dispatch={dispatch} timeZone={timeZone} />
      {dispatch.status !== "draft" && dispatch.status !== "scheduled" && (
        <Report dispatch={dispatch} timeZone={timeZone} />
      )}
      <Participants dispatch={dispatch} timeZone={timeZone} />
    </>
  )
}

export const Page = () => {
  const t = useMessages("dispatch")
  const id = route.useParams().id
  return (
    <LoadedRecord
      key={id}
      query={dispatchQuery(id)}
      title={t.dispatch}
      above={<Link to="/dashboard/dispatches">{t.dispatches}</Link>}
    >
      {(dispatch) => <Shown dispatch={dispatch} />}
    </LoadedRecord>
  )
}
