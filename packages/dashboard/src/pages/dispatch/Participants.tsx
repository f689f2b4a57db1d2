import {
  type Dispatch,
  type Participant,
  type ParticipantState,
  participantStates
} from "@edp/domain/dispatches/Dispatch"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatNumber, formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { dispatchChanged, DispatchesClient, participantsQuery } from "../../resources/dispatches.ts"
import { Button } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { TextField } from "../../kit/Field.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { Badge, type State } from "../../kit/components.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { NamedSiteLink } from "./NamedSiteLink.tsx"

const route = pageRoute("/dashboard/dispatches/$id")

const marks: Readonly<Record<ParticipantState, State>> = {
  notified: "info",
  opted_out: "plain",
  running: "good",
  unresponsive: "warn",
  done: "good",
  failed: "bad"
}

interface OptOutProps {
  readonly dispatchId: string
  readonly participant: Participant | undefined
  readonly onClose: () => void
}

const OptOutDialog = ({ dispatchId, onClose, participant }: OptOutProps) => {
  const t = useMessages("dispatch")
  const toast = useToast()
  const call = useApi(DispatchesClient)
  const [reason, setReason] = useState("")
  const optOut = async (siteId: string) => {
    const payload = reason.trim() === "" ? {} : { reason: reason.trim() }
    await call(
      (client) => client.dispatches.optOut({ params: { id: dispatchId, siteId }, payload }),
      dispatchChanged(dispatchId)
    )
    toast.done(t.optedOut)
    setReason("")
  }
  return (
    <ConfirmDialog
      open={participant !== undefined}
      onClose={onClose}
      title={t.optOutTitle}
      action={t.optOut}
      act={() => optOut(participant!.siteId)}
    >
      <div className="stack">
        <p>{t.optOutText}</p>
        <TextField label={t.reason} value={reason} onChange={setReason} maxLength={1000} />
      </div>
    </ConfirmDialog>
  )
}

interface ParticipantsProps {
  readonly dispatch: Dispatch
  readonly timeZone: string
}

/** The sites of a dispatch with their states, the reasons for them, and the way out. */
export const Participants = ({ dispatch, timeZone }: ParticipantsProps) => {
  const t = useMessages("dispatch")
  const language = useLanguage()
  const search = route.useSearch()
  const change = route.useChange()
  const [leaving, setLeaving] = useState<Participant>()
  const mayLeave = dispatch.voluntary && (dispatch.status === "scheduled" || dispatch.status === "running")
  return (
    <RecordList
      title={t.participants}
      actions={
        <ChoiceFilter
          label={t.state}
          hideLabel
          all={t.everyState}
          value={search.state}
          values={participantStates}
          name={(state) => `${t.states[state]} (${formatNumber(language, dispatch.participants[state])})`}
          onChange={(state) => change({ state, page: undefined })}
        />
      }
      query={participantsQuery(dispatch.id, search)}
      paging={{ onPage: (page) => change({ page }) }}
      id={({ siteId }) => siteId}
      none={{ icon: "home", title: t.noSites, hint: t.noSitesHint }}
      columns={[
        { id: "site", header: t.site, isName: true, cell: ({ siteId }) => <NamedSiteLink id={siteId} /> },
        {
          id: "state",
          header: t.state,
          cell: (participant) => (
            <Badge state={marks[participant.state]}>
              {participant.heldOut ? t.heldOut : t.states[participant.state]}
            </Badge>
          )
        },
        {
          id: "began",
          header: t.began,
          cell: ({ startsAt }) =>
            startsAt === null ? (
              <span className="muted">–</span>
            ) : (
              formatTime(language, Date.parse(startsAt), { timeStyle: "medium", timeZone })
            )
        },
        {
          id: "devices",
          header: t.devices,
          align: "end",
          // Devices are determined when the dispatch begins.
          cell: ({ deviceCount, startsAt }) =>
            startsAt === null ? <span className="muted">–</span> : formatNumber(language, deviceCount)
        },
        {
          id: "reasons",
          header: t.reasons,
          cell: ({ reasons }) =>
            [...new Set(reasons.map(({ message }) => message))].join("; ") || <span className="muted">–</span>
        },
        {
          id: "actions",
          header: "",
          align: "end",
          cell: (participant) =>
            mayLeave &&
            participant.state !== "opted_out" && (
              <Button small tone="quiet" onClick={() => setLeaving(participant)}>
                {t.optOut}
              </Button>
            )
        }
      ]}
    >
      <OptOutDialog dispatchId={dispatch.id} participant={leaving} onClose={() => setLeaving(undefined)} />
    </RecordList>
  )
}
