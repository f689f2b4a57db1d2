import {
  type CreateDispatch,
  type Dispatch,
  DispatchStatus,
  type Participant,
  type UpdateDispatch,
  participantStates
} from "@edp/domain/dispatches/Dispatch"
import type { DispatchPreview, DispatchPreviewGroup } from "@edp/domain/dispatches/DispatchPreview"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { findInstance, siteArgument, siteId, siteLabels } from "../kernel/find.ts"
import { several, text, choices } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import { type Column, minute, renderCsvRecord, renderRecord, renderTable } from "../kernel/table.ts"
import { verb } from "../kernel/verb.ts"
import { report } from "./dispatches/report.ts"
import { formatActions } from "./dispatches/actionText.ts"
import { intervalFlags, parseBody, settingFlags } from "./dispatches/body.ts"

const formatCounts = ({ participants }: Dispatch) =>
  participantStates.flatMap((state) => (participants[state] === 0 ? [] : `${participants[state]} ${state}`))

const formatInterval = ({ actions, durationSeconds, startsAt }: Dispatch["intervals"][number]) => {
  return `${minute(startsAt)}, ${Math.round(durationSeconds / 6) / 10} min: ${formatActions(actions, "; ")}`
}

const dispatchColumns: ReadonlyArray<Column<Dispatch>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "STATUS", value: ({ status, test }) => (test ? `${status} (test)` : status), whole: true },
  { title: "STARTS", value: ({ startsAt }) => startsAt, time: true, whole: true },
  { title: "ENDS", value: ({ endsAt }) => endsAt, time: true, whole: true },
  { title: "SITES", value: formatCounts },
  { title: "PRIORITY", value: ({ priority }) => priority, right: true, wide: true },
  { title: "NOMINATED W", value: ({ nominatedPowerW }) => nominatedPowerW, right: true, wide: true },
  { title: "BASELINE", value: ({ baseline }) => baseline.method, wide: true }
]

const yesNo = (value: boolean) => (value ? "yes" : "no")

const dispatchFields = (dispatch: Dispatch) =>
  [
    ["id", dispatch.id],
    ["name", dispatch.name],
    ["instance", dispatch.programInstanceId],
    ["status", dispatch.status],
    ["reason", dispatch.reason],
    ["starts", dispatch.startsAt],
    ["ends", dispatch.endsAt],
    ...dispatch.intervals.map((interval, index) => [`interval ${index}`, formatInterval(interval)] as const),
    ["random start", `${dispatch.randomizeStartSeconds} s`],
    ["priority", dispatch.priority],
    ["voluntary", yesNo(dispatch.voluntary)],
    ["test", yesNo(dispatch.test)],
    ["nominated W", dispatch.nominatedPowerW],
    ["baseline", dispatch.baseline.method],
    ["parameters", Object.keys(dispatch.baseline.parameters).length === 0 ? null : dispatch.baseline.parameters],
    ["sites", formatCounts(dispatch)],
    ["created", dispatch.createdAt],
    ["updated", dispatch.updatedAt]
  ] as const

const dispatchArgument = Argument.String("dispatch").pipe(Argument.withDescription("Id of the dispatch"))

const instanceFlag = Flag.String("instance").pipe(Flag.withDescription("Id of the program instance, or its slug"))

const list = verb(
  "dispatches list",
  "List the dispatches of a program instance, newest first",
  {
    instance: instanceFlag,
    ...pagingFlags,
    status: choices("status", DispatchStatus.literals),
    test: Flag.Literals("test", ["true", "false"]).pipe(
      Flag.withDescription("true: only tests; false: without them"),
      Flag.optional
    ),
    from: text("from", "Dispatches that end after this instant"),
    to: text("to", "Dispatches that start before this instant")
  },
  Effect.fnUntraced(function* ({ instance, ...flags }) {
    const { id } = yield* findInstance(instance)
    yield* showList(flags, "dispatches", dispatchColumns, (query) =>
      request("dispatches", "list", { params: { id }, query })
    )
  }),
  ["edp dispatches list --instance summer --status running"]
)

const show = verb("dispatches show", "Show a dispatch", { id: dispatchArgument }, (params) =>
  showRecord(request("dispatches", "get", { params }), dispatchFields)
)

const previewFields = (preview: DispatchPreview, intervals: number) =>
  [
    ...(intervals > 1 ? [["interval", `the first of ${intervals}`] as const] : []),
    ["starts", preview.startsAt],
    ["sites", `${preview.sitesReached} of ${preview.sites} reached`],
    ["devices", preview.devicesReached],
    ["held out sites", preview.heldOutSites],
    ["discharge W", preview.dischargeW],
    ["charge W", preview.chargeW],
    ["stopped W", preview.stoppedW],
    ["discharge Wh", preview.dischargeWh],
    ["power unknown", `${preview.powerUnknown} devices`]
  ] as const

const groupColumns: ReadonlyArray<Column<DispatchPreviewGroup>> = [
  { title: "OUTCOME", value: ({ outcome }) => outcome, whole: true },
  { title: "CODE", value: ({ code }) => code, whole: true },
  { title: "SITES", value: ({ sites }) => sites, right: true, whole: true },
  { title: "DEVICES", value: ({ devices }) => devices, right: true, whole: true },
  { title: "REASON", value: ({ sentence }) => sentence }
]

const showPreview = Effect.fn("dispatches.preview")(function* (creation: {
  readonly params: { readonly id: string }
  readonly payload: CreateDispatch
}) {
  const output = yield* Output
  const preview = yield* request("dispatches", "preview", creation)
  const fields = previewFields(preview, creation.payload.intervals.length)
  yield* output.show(
    preview,
    () => [renderRecord(fields), renderTable(groupColumns, preview.groups, output.columns)].join("\n\n"),
    () => renderCsvRecord(fields)
  )
})

const create = verb(
  "dispatches create",
  "Create a dispatch; it is announced to the enrolled sites at once",
  {
    instance: instanceFlag,
    name: text("name", "Display name; required unless --file has it"),
    ...intervalFlags,
    ...settingFlags,
    involuntary: Flag.Boolean("involuntary").pipe(Flag.withDescription("Sites can't opt out"), Flag.withDefault(false)),
    test: Flag.Boolean("test").pipe(
      Flag.withDescription("Program reports do not count its energy"),
      Flag.withDefault(false)
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Create nothing: show who would take part, with which power, and who would not"),
      Flag.withDefault(false)
    ),
    draft: Flag.Boolean("draft").pipe(
      Flag.withDescription("Neither announce nor start it until it is scheduled"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ draft, dryRun, instance, involuntary, name, test, ...flags }) {
    const body = {
      ...(yield* parseBody(flags)),
      ...given({ name }),
      ...(involuntary && { voluntary: false }),
      ...(test && { test }),
      ...(draft && { status: "draft" as const })
    }
    if (body.name === undefined) return yield* usage("Pass --name")
    if (body.intervals === undefined) {
      return yield* usage("Pass --start, --duration and a mode, such as --battery discharge, or --file")
    }
    const { id } = yield* findInstance(instance)
    const creation = { params: { id }, payload: body as CreateDispatch }
    if (dryRun) return yield* showPreview(creation)
    yield* showRecord(request("dispatches", "create", creation), dispatchFields)
  }),
  [
    "edp dispatches create --instance summer --name 'Hot evening' --start 2026-07-14T17:00:00-07:00 --duration 3h --battery discharge --nominated-power 250000 --random-start 5m",
    "edp dispatches create --instance summer --name 'Hot evening' --start 10m --duration 1h --battery discharge --dry-run",
    "edp dispatches create --instance summer --name Trial --start 10m --duration 15m --battery-power 2000 --test",
    "edp dispatches create --instance summer --file dispatch.json"
  ]
)

const update = verb(
  "dispatches update",
  "Change a dispatch before its start; an interval replaces all intervals",
  {
    id: dispatchArgument,
    name: text("name", "New name"),
    ...intervalFlags,
    ...settingFlags,
    status: Flag.Literals("status", ["draft", "scheduled"]).pipe(
      Flag.withDescription("scheduled: announce a draft"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ id, name, status, ...flags }) {
    const payload: UpdateDispatch = { ...((yield* parseBody(flags)) as UpdateDispatch), ...given({ name, status }) }
    if (Object.keys(payload).length === 0) return yield* usage("Nothing to change: pass a new value")
    yield* showRecord(request("dispatches", "update", { params: { id }, payload }), dispatchFields)
  }),
  ["edp dispatches update DISPATCH_ID --status scheduled"]
)

const reason = text("reason", "Reason, shown to users")

const cancel = verb(
  "dispatches cancel",
  "End a dispatch; devices get their settings back",
  { id: dispatchArgument, reason },
  ({ id, reason }) =>
    showRecord(request("dispatches", "cancel", { params: { id }, payload: given({ reason }) }), dispatchFields)
)

const participantFields = (participant: Participant) =>
  [
    ["site", participant.siteId],
    ["customer", participant.customerId],
    ["enrollment", participant.enrollmentId],
    ["state", participant.state],
    ["held out", yesNo(participant.heldOut)],
    ["starts", participant.startsAt],
    ["devices", participant.deviceCount],
    ...participant.reasons.map(({ deviceId, message }) => [deviceId ?? "site", message] as const),
    ["updated", participant.updatedAt]
  ] as const

const participantColumns = (labels: ReadonlyMap<string, string>): ReadonlyArray<Column<Participant>> => [
  { title: "SITE ID", value: ({ siteId }) => siteId, whole: true },
  { title: "SITE", value: ({ siteId }) => labels.get(siteId) },
  { title: "STATE", value: ({ heldOut, state }) => (heldOut ? `${state} (held out)` : state), whole: true },
  { title: "STARTS", value: ({ startsAt }) => startsAt, time: true, whole: true },
  { title: "DEVICES", value: ({ deviceCount }) => deviceCount, right: true, whole: true },
  { title: "REASONS", value: ({ reasons }) => [...new Set(reasons.map(({ message }) => message))] },
  { title: "CUSTOMER", value: ({ customerId }) => customerId, whole: true, wide: true },
  { title: "UPDATED", value: ({ updatedAt }) => updatedAt, time: true, whole: true, wide: true }
]

const participants = verb(
  "dispatches participants",
  "List the sites of a dispatch, with their states and reasons",
  {
    id: dispatchArgument,
    ...pagingFlags,
    state: choices("state", participantStates),
    site: several("site", "Site: its id, referenceId or name")
  },
  Effect.fnUntraced(function* ({ id, site, ...flags }) {
    const siteIds = yield* Effect.forEach(site, siteId)
    yield* showList(
      flags,
      "sites",
      (rows: ReadonlyArray<Participant>) =>
        Effect.map(siteLabels(rows.map(({ siteId }) => siteId)), participantColumns),
      (query) =>
        request("dispatches", "participants", { params: { id }, query: { ...query, ...given({ siteId: siteIds }) } })
    )
  }),
  ["edp dispatches participants DISPATCH_ID --state unresponsive --all"]
)

const optOut = verb(
  "dispatches opt-out",
  "Take a site out of a dispatch; its devices get their settings back",
  { id: dispatchArgument, site: siteArgument, reason },
  Effect.fnUntraced(function* ({ id, reason, site }) {
    const params = { id, siteId: yield* siteId(site) }
    yield* showRecord(request("dispatches", "optOut", { params, payload: given({ reason }) }), participantFields)
  })
)

export const dispatches = Command.make("dispatches").pipe(
  Command.withDescription("Calls on the enrolled sites of a program instance, and what they delivered"),
  Command.withSubcommands([list, show, create, update, cancel, participants, optOut, report])
)
