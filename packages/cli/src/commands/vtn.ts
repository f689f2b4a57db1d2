import type { ApiKey, ApiKeyScope } from "@edp/domain/api-keys/ApiKey"
import { openAdrKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { callbackStatuses, type SubscriptionState } from "@edp/domain/openadr/OpenAdrSubscriptions"
import type { FollowingVen, VenReport } from "@edp/domain/openadr/OpenAdrPublication"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { confirm } from "../kernel/ask.ts"
import { CliFailure } from "../kernel/CliFailure.ts"
import { several, text, yes } from "../kernel/flags.ts"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { between, given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { verb } from "../kernel/verb.ts"
import { describeScope, isClientKey, rotateSecret, SHOWN_ONCE } from "./keys/rotate.ts"

const roles = [
  ["business-logic", "OPENADR_BL"],
  ["ven", "OPENADR_VEN"]
] as const

const role = (type: string) => roles.find(([, each]) => each === type)?.[0] ?? type

const clientColumns: ReadonlyArray<Column<ApiKey>> = [
  { title: "CLIENT ID", value: ({ id }) => id, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "ROLE", value: ({ type }) => role(type), whole: true },
  {
    title: "SITES OF",
    value: ({ scope, type }) => (type === "OPENADR_VEN" ? (describeScope(scope) ?? "none") : null)
  },
  { title: "LAST USED", value: ({ lastUsedAt }) => lastUsedAt, time: true, whole: true },
  { title: "REVOKED", value: ({ revoked }) => (revoked ? "yes" : "no"), whole: true },
  { title: "WORKSPACE", value: ({ workspaceId }) => workspaceId, whole: true, wide: true }
]

const listClients = verb(
  "vtn clients list",
  "List the clients of the OpenADR server, newest first",
  pagingFlags,
  (flags) =>
    showList(flags, "clients", clientColumns, (query) =>
      request("apiKeys", "list", { query: { ...query, type: openAdrKeyTypes } })
    )
)

const createClient = verb(
  "vtn clients create",
  "Create a client of the OpenADR server and show its secret once",
  {
    name: Flag.String("name").pipe(Flag.withDescription("1 to 255 characters")),
    type: Flag.ChoiceWithValue("role", roles).pipe(
      Flag.withDescription("business-logic creates programs and events, a ven follows them")
    ),
    workspaceId: Flag.String("workspace").pipe(
      Flag.withDescription("Workspace id; default: the management key's own"),
      Flag.optional
    ),
    customerId: text("customer", "A ven sees the enrolled sites of this customer id as resources"),
    programInstanceId: text(
      "program-instance",
      "A ven sees the sites enrolled in this program instance id as resources"
    ),
    enrollmentIds: several("enrollment", "A ven sees the sites of this enrollment id as resources")
  },
  Effect.fnUntraced(function* ({ name, type, workspaceId, ...sites }) {
    const scope = given(sites)
    const payload = {
      name,
      type,
      ...(Option.isSome(workspaceId) && { workspaceId: workspaceId.value }),
      ...(Object.keys(scope).length > 0 && { scope: scope as ApiKeyScope })
    }
    yield* showRecord(
      request("apiKeys", "create", { payload }),
      (key) =>
        [
          ["client_id", key.id],
          ["client_secret", key.key],
          ["name", key.name],
          ["role", role(key.type)],
          ["sites of", describeScope(key.scope)],
          ["workspace", key.workspaceId]
        ] as const
    )
    yield* (yield* Output).note(SHOWN_ONCE)
  }),
  [
    "edp vtn clients create --name Aggregator --role ven",
    "edp vtn clients create --name Aggregator --role ven --program-instance cmj2k8x4a0q3v7n1r5t9w2y6a"
  ]
)

const findClient = Effect.fnUntraced(function* (id: string) {
  const key = yield* request("apiKeys", "get", { params: { id } })
  if (isClientKey(key)) return key
  return yield* new CliFailure({ code: "NO_CLIENT", message: `The key ${id} is not that of an OpenADR client` })
})

const rotateClient = verb(
  "vtn clients rotate",
  "Give a client of the OpenADR server a new secret and show it once; the former one works for a while",
  {
    id: Argument.String("id").pipe(Argument.withDescription("client_id of the client")),
    hours: Flag.Int("former-hours").pipe(
      between(0, 168),
      Flag.withDescription("Hours for which the former secret works, 0 to 168"),
      Flag.withDefault(24)
    )
  },
  Effect.fnUntraced(function* ({ hours, id }) {
    yield* findClient(id)
    return yield* rotateSecret(id, hours * 3600)
  }),
  ["edp vtn clients rotate cmj2k8x4a0q3v7n1r5t9w2y6a"]
)

const revokeClient = verb(
  "vtn clients revoke",
  "Revoke a client of the OpenADR server; its tokens end at once",
  { id: Argument.String("id").pipe(Argument.withDescription("client_id of the client")), yes },
  Effect.fnUntraced(function* ({ id, yes }) {
    const { show } = yield* Output
    const key = yield* findClient(id)
    yield* confirm({
      yes,
      message: `Revoke the client "${key.name}" permanently? It stops working immediately.`,
      unasked: "proceed"
    })
    const response = yield* request("apiKeys", "revoke", { params: { id }, payload: {} })
    return yield* show({ id, ...response }, () => response.message)
  })
)

const venColumns: ReadonlyArray<Column<FollowingVen>> = [
  { title: "VEN", value: ({ venName }) => venName },
  { title: "CLIENT ID", value: ({ clientId }) => clientId, whole: true },
  { title: "TARGETS", value: ({ targets }) => (targets.length === 0 ? "none" : targets) },
  { title: "RESOURCES", value: ({ resourceCount }) => resourceCount, whole: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, whole: true, wide: true },
  { title: "ID", value: ({ id }) => id, whole: true, wide: true }
]

const vens = verb("vtn vens", "List the VENs of the OpenADR server, newest first", pagingFlags, (flags) =>
  showList(flags, "VENs", venColumns, (query) => request("openAdr", "vens", { query }))
)

const reportColumns: ReadonlyArray<Column<VenReport>> = [
  { title: "VEN", value: ({ clientName, venName }) => venName ?? clientName },
  { title: "REPORT", value: ({ reportName }) => reportName },
  { title: "EVENT", value: ({ eventId }) => eventId, whole: true },
  { title: "RESOURCES", value: ({ resources }) => resources.map(({ resourceName }) => resourceName) },
  { title: "SITES", value: ({ resources }) => resources.flatMap(({ siteId }) => siteId ?? []) },
  { title: "SENT", value: ({ updatedAt }) => updatedAt, time: true, whole: true },
  { title: "ID", value: ({ id }) => id, whole: true, wide: true }
]

const reports = verb(
  "vtn reports",
  "List the reports that VENs have sent, newest first",
  {
    ...pagingFlags,
    dispatch: Flag.String("dispatch").pipe(Flag.withDescription("Reports on this dispatch id only"), Flag.optional)
  },
  ({ dispatch, ...flags }) =>
    showList(flags, "reports", reportColumns, (query) =>
      Option.match(dispatch, {
        onNone: () => request("openAdr", "reports", { query }),
        onSome: (id) => request("openAdr", "dispatchReports", { params: { id }, query })
      })
    )
)

const failing = ({ callbacks }: SubscriptionState) => callbacks.filter(({ status }) => status !== "HEALTHY")

const subscriptionColumns: ReadonlyArray<Column<SubscriptionState>> = [
  { title: "SUBSCRIBER", value: ({ clientName, venName }) => venName ?? clientName },
  { title: "STATUS", value: ({ status }) => status, whole: true },
  {
    title: "FAILING SINCE",
    value: (each) =>
      failing(each)
        .map(({ failingSince }) => failingSince)
        .sort()[0] ?? null,
    time: true,
    whole: true
  },
  { title: "LAST ERROR", value: (each) => failing(each)[0]?.lastError ?? null },
  { title: "PENDING", value: ({ callbacks }) => callbacks.reduce((sum, { pending }) => sum + pending, 0), whole: true },
  { title: "CALLBACKS", value: ({ callbacks }) => callbacks.map(({ url }) => url), wide: true },
  { title: "CLIENT ID", value: ({ clientId }) => clientId, whole: true, wide: true },
  { title: "ID", value: ({ id }) => id, whole: true, wide: true }
]

const subscriptions = verb(
  "vtn subscriptions",
  "List the subscriptions at the OpenADR server with the state of their callbacks, newest first",
  {
    ...pagingFlags,
    status: Flag.ChoiceWithValue(
      "status",
      callbackStatuses.map((status) => [status.toLowerCase(), status] as const)
    ).pipe(Flag.withDescription("Repeat for several"), Flag.atLeast(0))
  },
  ({ status, ...flags }) =>
    showList(flags, "subscriptions", subscriptionColumns, (query) =>
      request("openAdr", "subscriptions", { query: { ...query, ...(status.length > 0 && { status }) } })
    )
)

const clients = Command.make("clients").pipe(
  Command.withDescription("Clients of the OpenADR server: business logic and VENs"),
  Command.withSubcommands([listClients, createClient, rotateClient, revokeClient])
)

export const vtn = Command.make("vtn").pipe(
  Command.withDescription("The OpenADR server: its clients, VENs, their reports and subscriptions"),
  Command.withSubcommands([clients, vens, reports, subscriptions])
)
