import type { ConnectFunnel } from "@edp/domain/connections/ConnectFunnel"
import {
  type ConnectSession,
  type ConnectSessionDetail,
  connectModes,
  connectSessionStatuses
} from "@edp/domain/connections/ConnectSession"
import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { languages } from "@edp/domain/shared/Language"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord, showTable } from "../kernel/Output.ts"
import { customerId, siteId } from "../kernel/find.ts"
import { json, parseObject, several, text, choices, workspaceId, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import { type Column, minute, renderCsvRecord, renderRecord, renderTable } from "../kernel/table.ts"
import { confirmDeletion, verb } from "../kernel/verb.ts"

const sessionColumns: ReadonlyArray<Column<ConnectSession>> = [
  { title: "ID", value: (session) => session.id, whole: true },
  { title: "STATUS", value: (session) => session.status, whole: true },
  { title: "MANUFACTURER", value: (session) => session.manufacturer },
  { title: "REFERENCE", value: (session) => session.referenceId },
  { title: "MODE", value: (session) => session.mode, wide: true },
  { title: "CUSTOMER", value: (session) => session.customerId, wide: true },
  { title: "SITE", value: (session) => session.siteId, wide: true },
  { title: "CREATED", value: (session) => session.createdAt, time: true, whole: true },
  { title: "EXPIRES", value: (session) => session.expiresAt, time: true, whole: true, wide: true }
]

/** `offered` are the manufacturers that a session was created for; the person selects one of them. */
const formatManufacturer = ({ manufacturer }: ConnectSession, offered: ReadonlyArray<string> = []) => {
  if (manufacturer !== null) return manufacturer
  if (offered.length === 0) return "not selected yet"
  return offered.length === 1 ? offered[0] : `not selected yet, of ${offered.join(", ")}`
}

const sessionFields = (session: ConnectSession, offered?: ReadonlyArray<string>) =>
  [
    ["id", session.id],
    ["status", session.status],
    ["mode", session.mode],
    ["manufacturer", formatManufacturer(session, offered)],
    ["reference", session.referenceId],
    ["customer", session.customerId],
    ["site", session.siteId],
    ["tags", session.tags],
    ["redirect", session.redirectUrl],
    ["params", session.params],
    ["created", session.createdAt],
    ["expires", session.expiresAt]
  ] as const

const formatConsent = ({ consent }: ConnectSessionDetail) =>
  consent && `version ${consent.version} in ${consent.language}, ${consent.at}`

const detailFields = (session: ConnectSessionDetail) => [
  ...sessionFields(session),
  [
    "error",
    session.lastError && `${session.lastError.code}: ${session.lastError.message}, ${session.lastError.at}`
  ] as const,
  ["consent", formatConsent(session)] as const,
  ["account", session.accountId] as const,
  ["devices", session.deviceIds] as const,
  ["disconnected", session.disconnectedAt] as const
]

const transitionColumns: ReadonlyArray<Column<ConnectSessionDetail["transitions"][number]>> = [
  { title: "AT", value: ({ at }) => at, whole: true },
  { title: "STATUS", value: ({ status }) => status, whole: true }
]

const interventionColumns: ReadonlyArray<Column<ConnectSessionDetail["interventions"][number]>> = [
  { title: "DEVICE", value: ({ deviceId }) => deviceId, whole: true },
  { title: "INTERVENTION", value: ({ code }) => code, whole: true },
  { title: "BY", value: ({ actor }) => actor, whole: true },
  { title: "NEXT STEPS", value: ({ steps, title }) => [title, ...steps].join(". ") }
]

const id = Argument.String("id").pipe(Argument.withDescription("Id of the session"))

const list = verb(
  "connections list",
  "List connect sessions, newest first",
  {
    ...pagingFlags,
    status: choices("status", connectSessionStatuses),
    referenceId: several("reference", "Reference of the end user"),
    customerId: several("customer", "Id of the customer"),
    manufacturer: several("manufacturer", "Slug of the manufacturer")
  },
  (flags) => showList(flags, "sessions", sessionColumns, (query) => request("connections", "list", { query }))
)

const show = verb(
  "connections show",
  "Show a session with its status changes, consent and interventions",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    const output = yield* Output
    const session = yield* request("connections", "get", { params: { id } })
    const fields = detailFields(session)
    yield* output.show(
      session,
      () =>
        [
          renderRecord(fields),
          renderTable(transitionColumns, session.transitions, output.columns),
          ...(session.interventions.length === 0
            ? []
            : [renderTable(interventionColumns, session.interventions, output.columns)])
        ].join("\n\n"),
      () => renderCsvRecord(fields)
    )
  })
)

const create = verb(
  "connections create",
  "Create a session and show its link",
  {
    referenceId: text("reference", "Reference of the end user in your system; default: a new one"),
    redirectUrl: text("redirect", "URL that the person returns to"),
    clientName: text("client-name", "What the pages call you; default: the workspace's name"),
    manufacturer: several("manufacturer", "Manufacturer to choose from; exactly one is selected in advance"),
    deviceType: choices("type", deviceTypes),
    tags: several("tag", "Tag for the connected devices"),
    customer: text("customer", "Existing customer"),
    site: text("site", "Existing site"),
    customerInfo: json("customer-info", "What is known of the person, as JSON: email, firstName, location, …").pipe(
      Flag.optional
    ),
    params: json("params", "JSON object that the session returns").pipe(Flag.optional),
    mode: Flag.Literals("mode", connectModes).pipe(
      Flag.withDescription("headless: the link leads to the manufacturer; default: standard"),
      Flag.optional
    ),
    additional: Flag.Boolean("additional").pipe(
      Flag.withDescription("Headless: allow another account of a manufacturer that is connected for the reference"),
      Flag.optional
    ),
    reconnect: text("reconnect", "Session or account to sign in to again"),
    language: Flag.Literals("language", languages).pipe(Flag.withDescription("Language of the pages"), Flag.optional),
    colorScheme: Flag.Literals("color-scheme", ["light", "dark"]).pipe(
      Flag.withDescription("Colours of the pages"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ customer, customerInfo, deviceType, manufacturer, params, site, ...flags }) {
    const manufacturerFilters = {
      ...(manufacturer.length > 0 && { manufacturers: manufacturer }),
      ...(deviceType.length > 0 && { deviceTypes: deviceType })
    }
    const payload = {
      ...given(flags),
      ...(Object.keys(manufacturerFilters).length > 0 && { manufacturerFilters }),
      ...(Option.isSome(customer) && { customerId: yield* customerId(customer.value) }),
      ...(Option.isSome(site) && { siteId: yield* siteId(site.value) }),
      ...(Option.isSome(customerInfo) && { customerInfo: yield* parseObject("customer-info", customerInfo.value) }),
      ...(Option.isSome(params) && { params: yield* parseObject("params", params.value) })
    }
    yield* showRecord(request("connections", "create", { payload }), (session) => [
      ["link", session.url] as const,
      ...sessionFields(session, manufacturer)
    ])
  }),
  [
    "edp connections create --reference user-1 --redirect https://example.com/connected",
    "edp connections create --manufacturer simulator --type battery"
  ]
)

const disconnect = verb(
  "connections disconnect",
  "End a session; after its success, disconnect its account and devices and revoke its keys",
  { id, yes },
  Effect.fnUntraced(function* ({ id, yes }) {
    const { deviceIds, manufacturer, status } = yield* request("connections", "get", { params: { id } })
    const question =
      status === "SUCCESS"
        ? `Disconnect the account at ${manufacturer} with its ${deviceIds.length} devices? Their history stays.`
        : `End the session, which is ${status}?`
    yield* confirmDeletion({
      id,
      yes,
      question,
      call: request("connections", "remove", { params: { id } }),
      done: status === "SUCCESS" ? `The account at ${manufacturer} is disconnected.` : "The session is ended."
    })
  })
)

interface FunnelRow {
  readonly manufacturer: string | null
  readonly step: string
  readonly sessions: number
  readonly share: string
  readonly median: string | null
}

const percent = (part: number, whole: number) => `${whole === 0 ? 0 : Math.round((100 * part) / whole)} %`

const toRows = ({ manufacturers }: ConnectFunnel): ReadonlyArray<FunnelRow> =>
  manufacturers.flatMap(({ errors, manufacturer, sessions: all, steps }) => [
    ...steps.map(({ medianSeconds, sessions, status }) => ({
      manufacturer,
      step: status,
      sessions,
      share: percent(sessions, all),
      median: medianSeconds === null ? null : `${Math.round(medianSeconds)} s`
    })),
    ...errors.map(({ code, sessions }) => ({
      manufacturer,
      step: `failed: ${code}`,
      sessions,
      share: percent(sessions, all),
      median: null
    }))
  ])

const funnelColumns: ReadonlyArray<Column<FunnelRow>> = [
  { title: "MANUFACTURER", value: ({ manufacturer }) => manufacturer ?? "not selected", whole: true },
  { title: "STEP", value: ({ step }) => step, whole: true },
  { title: "SESSIONS", value: ({ sessions }) => sessions, right: true, whole: true },
  { title: "SHARE", value: ({ share }) => share, right: true, whole: true },
  { title: "MEDIAN", value: ({ median }) => median, right: true, whole: true }
]

const funnel = verb(
  "connections funnel",
  "Show how far sessions come, by manufacturer and step",
  {
    from: text("from", "Sessions created at or after this time, such as 2026-03-01T00:00:00Z; default: 30 days ago"),
    to: text("to", "Sessions created before this time; default: now"),
    workspaceId
  },
  Effect.fnUntraced(function* (flags) {
    const found = yield* request("connectFunnel", "get", { query: given(flags) })
    yield* showTable(found, funnelColumns, toRows(found))
    yield* (yield* Output).note(`${found.sessions} sessions from ${minute(found.from)} to ${minute(found.to)}`)
  })
)

export const connections = Command.make("connections").pipe(
  Command.withDescription("Sessions in which end users connect devices"),
  Command.withSubcommands([create, list, show, disconnect, funnel])
)
