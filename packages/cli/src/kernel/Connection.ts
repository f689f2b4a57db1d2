import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { AllowedKeyTypes } from "@edp/domain/auth/annotations"
import type { ApiClient } from "@edp/domain/Client"
import type { Retry } from "@edp/domain/client/retries"
import type { EffectCalls } from "@edp/domain/client/Calls"
import type { DashboardApi } from "@edp/domain/DashboardApi"
import { Clock, Context, Duration, Effect, FileSystem, Layer, Path, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { CliFailure, describeFailure } from "./CliFailure.ts"
import { updateCredentials, keyField } from "./credentialsFile.ts"
import { type GroupName, loadGroup, makeGroupClient } from "./groupClient.ts"
import { Output } from "./Output.ts"
import { loadProfile, type Profile, type ProfileFlags } from "./Profile.ts"

/** Among the allowed keys, the one with the widest access is used. */
const preference: ReadonlyArray<ApiKeyType> = ["MANAGEMENT", "SERVER", "API", "MANUFACTURER", "CONNECT", "SCOPED"]

/** The key types that `--provision` creates, and the manufacturers of its MANUFACTURER key. */
const provisionable = ["SERVER", "MANUFACTURER"] as const
const PROVISIONED_SCOPE = ["generic", "simulator"]
/** Equal notes within this number of milliseconds are printed once. */
const NOTE_INTERVAL = 1000

/** The calls of the API and of the operators' endpoints. */
export type ServiceClient = ApiClient & EffectCalls<typeof DashboardApi>

const allowedTypes = Effect.fnUntraced(function* (group: string, endpoint: string) {
  const { annotations, endpoints } = (yield* loadGroup(group as GroupName)) as unknown as AnnotatedGroup
  return Context.get(Context.merge(annotations, endpoints[endpoint]!.annotations), AllowedKeyTypes)
})

interface AnnotatedGroup {
  readonly annotations: Context.Context<never>
  readonly endpoints: Readonly<Record<string, { readonly annotations: Context.Context<never> }>>
}

const missingKey = (allowed: ReadonlyArray<ApiKeyType>, { keys, store }: Profile) => {
  const types = preference.filter((type) => allowed.includes(type))
  const canProvision = keys.has("MANAGEMENT") && provisionable.some((type) => allowed.includes(type))
  return new CliFailure({
    code: "KEY_MISSING",
    message: `This needs a key of type ${types.join(" or ")}, which is missing`,
    details: [
      `Set ${types.map((type) => `EDP_KEY_${type}`).join(" or ")}, or name the service's credentials file with --profile or --data-dir.`,
      ...(canProvision
        ? [`Or pass --provision: it creates one with the management key and stores it in ${store}.`]
        : [])
    ]
  })
}

/** Calls the service, choosing a key whose type the endpoint allows. */
export class Connection extends Context.Service<
  Connection,
  {
    readonly profile: Effect.Effect<Profile, CliFailure>
    /** An endpoint with the first allowed key of the profile. */
    readonly endpoint: <G extends keyof ServiceClient & string, E extends keyof ServiceClient[G] & string>(
      group: G,
      endpoint: E,
      options?: { readonly retries?: number }
    ) => Effect.Effect<ServiceClient[G][E], CliFailure>
    /** A client with the key that `endpoint` would use, for calls that must go to one workspace. */
    readonly clientFor: <G extends keyof ServiceClient & string, E extends keyof ServiceClient[G] & string>(
      group: G,
      endpoint: E,
      options?: { readonly retries?: number }
    ) => Effect.Effect<ServiceClient, CliFailure>
    /** The first key of the profile with one of the types. */
    readonly keyFor: (types: ReadonlyArray<ApiKeyType>) => Effect.Effect<Redacted.Redacted, CliFailure>
    /** A client with the given key. */
    readonly clientWith: (
      key: Redacted.Redacted,
      options?: { readonly retries?: number }
    ) => Effect.Effect<ServiceClient, CliFailure>
  }
>()("@edp/cli/Connection") {
  static readonly layer = (flags: ProfileFlags & { readonly provision: boolean }) =>
    Layer.effect(Connection, make(flags))
}

const make = Effect.fnUntraced(function* (flags: ProfileFlags & { readonly provision: boolean }) {
  const output = yield* Output
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path | HttpClient.HttpClient>()
  const made = new Map<ApiKeyType, Redacted.Redacted>()
  const clients = new Map<string, ServiceClient>()
  const groupClients = new Map<string, Readonly<Record<string, unknown>>>()
  const profile = yield* Effect.cached(Effect.provideContext(loadProfile(flags), context))

  // Concurrent requests are delayed together, so one note is enough.
  let lastNote = { note: "", at: 0 }
  const onRetry = Effect.fnUntraced(function* ({ delay, reason }: Retry) {
    const note = `${reason}: trying again in ${Duration.format(delay)}`
    const now = yield* Clock.currentTimeMillis
    if (note === lastNote.note && now - lastNote.at < NOTE_INTERVAL) return
    lastNote = { note, at: now }
    yield* output.note(note)
  })

  const settingsFor = Effect.fnUntraced(function* (key: Redacted.Redacted, retries: number | undefined) {
    const { baseUrl } = yield* profile
    // Without a retry count, an unreachable service fails at once; with one, calls outlast a restart.
    return { baseUrl, key, retries, retryNoAnswer: retries !== undefined, onRetry }
  })

  const clientWith = Effect.fnUntraced(function* (key: Redacted.Redacted, options?: { readonly retries?: number }) {
    const id = `${options?.retries} ${Redacted.value(key)}`
    const known = clients.get(id)
    if (known !== undefined) return known
    const settings = yield* settingsFor(key, options?.retries)
    const { makeClient } = yield* Effect.promise(() => import("@edp/domain/Client"))
    const { makeDashboardClient } = yield* Effect.promise(() => import("@edp/domain/DashboardApi"))
    const client = yield* Effect.zipWith(makeClient(settings), makeDashboardClient(settings), (api, dashboard) => ({
      ...api,
      ...(dashboard as unknown as EffectCalls<typeof DashboardApi>)
    })).pipe(Effect.provideContext(context))
    clients.set(id, client)
    return client
  })

  const groupWith = Effect.fnUntraced(function* (group: GroupName, key: Redacted.Redacted, retries?: number) {
    const id = `${group} ${retries} ${Redacted.value(key)}`
    const known = groupClients.get(id)
    if (known !== undefined) return known
    const client = yield* makeGroupClient(group, yield* settingsFor(key, retries)).pipe(Effect.provideContext(context))
    groupClients.set(id, client)
    return client
  })

  /** Creates a key with the management key and stores it in the credentials file. */
  const provision = Effect.fnUntraced(function* (type: (typeof provisionable)[number], management: Redacted.Redacted) {
    const { baseUrl, store } = yield* profile
    const client = yield* clientWith(management)
    const scope = type === "MANUFACTURER" ? { manufacturerScope: PROVISIONED_SCOPE } : {}
    const created = yield* client.apiKeys
      .create({ payload: { name: `edp ${type.toLowerCase()}`, type, ...scope } })
      .pipe(
        Effect.mapError((error) => {
          const { code, details, message } = describeFailure(error)
          return new CliFailure({ code, message: `Creating a ${type} key failed: ${message}`, details })
        })
      )
    yield* updateCredentials(store, { baseUrl, [keyField(type)]: created.key })
    yield* output.note(`Created a ${type} key and stored it in ${store}`)
    const key = Redacted.make(created.key)
    made.set(type, key)
    return key
  })

  const keyFor = Effect.fnUntraced(function* (allowed: ReadonlyArray<ApiKeyType>) {
    const { keys } = yield* profile
    for (const type of preference) {
      const key = made.get(type) ?? keys.get(type)?.key
      if (allowed.includes(type) && key !== undefined) return key
    }
    const management = keys.get("MANAGEMENT")
    const type = provisionable.find((one) => allowed.includes(one))
    if (!flags.provision || management === undefined || type === undefined) {
      return yield* missingKey(allowed, yield* profile)
    }
    return yield* provision(type, management.key).pipe(Effect.provideContext(context))
  })

  const clientFor = (group: string, endpoint: string, options?: { readonly retries?: number }) =>
    allowedTypes(group, endpoint).pipe(
      Effect.flatMap(keyFor),
      Effect.flatMap((key) => clientWith(key, options))
    )

  return Connection.of({
    profile,
    clientWith,
    keyFor,
    clientFor,
    endpoint: (group, endpoint, options) =>
      allowedTypes(group, endpoint).pipe(
        Effect.flatMap(keyFor),
        Effect.flatMap((key) => groupWith(group as GroupName, key, options?.retries)),
        Effect.map((client) => client[endpoint] as never)
      )
  })
})

type Call<G extends keyof ServiceClient, E extends keyof ServiceClient[G]> = ServiceClient[G][E] extends (
  input: infer Input
) => Effect.Effect<infer A, infer E1, infer R>
  ? { readonly input: Input; readonly effect: Effect.Effect<A, E1, R> }
  : never

/** Calls an endpoint with an allowed key. */
export const request = <G extends keyof ServiceClient & string, E extends keyof ServiceClient[G] & string>(
  group: G,
  endpoint: E,
  input: Call<G, E>["input"]
): Effect.Effect<
  Effect.Success<Call<G, E>["effect"]>,
  Effect.Error<Call<G, E>["effect"]> | CliFailure,
  Connection | Effect.Services<Call<G, E>["effect"]>
> =>
  Effect.flatMap(Connection, (connection) =>
    Effect.flatMap(connection.endpoint(group, endpoint), (call) =>
      (call as (input: unknown) => Call<G, E>["effect"])(input)
    )
  ) as never
