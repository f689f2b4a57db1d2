import type { ApiClient } from "@edp/domain/Client"
import type { ApiKey, ApiKeyCreated, ApiKeyRotated, ApiKeyScope, CreateApiKey } from "@edp/domain/api-keys/ApiKey"
import { type ApiKeyType, openAdrKeyTypes, type RateLimits } from "@edp/domain/auth/ApiKeyType"
import { Effect, Exit, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CliFailure, describeFailure, usage } from "../../kernel/CliFailure.ts"
import { Connection, request } from "../../kernel/Connection.ts"
import { Output } from "../../kernel/Output.ts"
import { ask, canAsk } from "../../kernel/ask.ts"
import { keyField, updateCredentials } from "../../kernel/credentialsFile.ts"
import { type Column, renderRecord } from "../../kernel/table.ts"

const status = (key: ApiKey) => (key.revoked ? "revoked" : "live")

export const keyColumns: ReadonlyArray<Column<ApiKey>> = [
  { title: "ID", value: (key) => key.id, whole: true },
  { title: "NAME", value: (key) => key.name },
  { title: "TYPE", value: (key) => key.type, whole: true },
  { title: "PREFIX", value: (key) => key.keyPrefix, whole: true, wide: true },
  { title: "STATUS", value: status, whole: true },
  { title: "EXPIRES", value: (key) => key.expiresAt, time: true, whole: true, wide: true },
  { title: "LAST USED", value: (key) => key.lastUsedAt, time: true, whole: true, wide: true },
  { title: "WORKSPACE", value: (key) => key.workspaceId, wide: true }
]

const limits = (rateLimits: RateLimits | null) =>
  rateLimits === null
    ? "the deployment's"
    : `read ${rateLimits.read ?? "default"}, write ${rateLimits.write ?? "default"}, bulk ${rateLimits.bulk ?? "default"} a minute`

/** The enrollments in the scope of a VEN's key. */
export const describeScope = (scope: ApiKeyScope | null) => {
  if (scope === null) return null
  const { customerId, enrollmentIds = [], programInstanceId } = scope
  if (customerId !== undefined) return `customer ${customerId}`
  if (programInstanceId !== undefined) return `program instance ${programInstanceId}`
  return enrollmentIds.length === 1 ? `enrollment ${enrollmentIds[0]}` : `${enrollmentIds.length} enrollments`
}

export const keyFields = (key: ApiKey) =>
  [
    ["id", key.id],
    ["name", key.name],
    ["type", key.type],
    ["status", status(key)],
    ["prefix", key.keyPrefix],
    ["workspace", key.workspaceId],
    ["owner", key.ownerId],
    ["manufacturers", key.manufacturerScope],
    ["scope", describeScope(key.scope)],
    ["limits", limits(key.rateLimits)],
    ["expires", key.expiresAt],
    ["last used", key.lastUsedAt],
    ["created", key.createdAt]
  ] as const

export const createdFields = (key: ApiKeyCreated) =>
  [
    ["id", key.id],
    ["name", key.name],
    ["type", key.type],
    ["workspace", key.workspaceId],
    ["owner", key.ownerId],
    ["manufacturers", key.manufacturerScope],
    ["limits", limits(key.rateLimits)],
    ["expires", key.expiresAt],
    ["key", key.key]
  ] as const

/** Whether the key is that of an OpenADR client. The id is the client_id, so that only the secret of such a key is replaced. */
export const isClientKey = ({ type }: Pick<ApiKey, "type">) => openAdrKeyTypes.some((each) => each === type)

const secretFields = (key: ApiKeyRotated) =>
  [
    ["client_id", key.id],
    ["client_secret", key.key],
    ["name", key.name],
    ["type", key.type],
    ["workspace", key.workspaceId],
    ["former secret ends", key.previousKeyExpiresAt]
  ] as const

/** Gives the key of an OpenADR client a new secret and shows it. */
export const rotateSecret = Effect.fn("keys.rotateSecret")(function* (id: string, previousValidSeconds?: number) {
  const payload = previousValidSeconds === undefined ? {} : { previousValidSeconds }
  const rotated = yield* request("apiKeys", "rotate", { params: { id }, payload })
  const { note, show } = yield* Output
  yield* show(rotated, () => renderRecord(secretFields(rotated)))
  yield* note(
    `Store the secret now: it is not shown again. The former one works until ${rotated.previousKeyExpiresAt}.`
  )
})

export const SHOWN_ONCE = "Store the key now: it is not shown again."

const one = { query: { perPage: 1 } }

/** A read that keys of the type are allowed. */
export const verifyKey = (client: ApiClient, type: ApiKeyType): Effect.Effect<unknown, unknown> => {
  switch (type) {
    case "MANAGEMENT":
      return client.organizations.list(one)
    case "SERVER":
    case "API":
      return client.sites.list(one)
    case "SCOPED":
      return client.devices.list(one)
    case "CONNECT":
    case "MANUFACTURER":
      return client.manufacturers.list(one)
    case "OPENADR_BL":
    case "OPENADR_VEN":
      return Effect.die(new Error("The key of an OpenADR client keeps its id"))
  }
}

/** The fields that the replacement copies. */
export const makeReplacement = (key: ApiKey): CreateApiKey => ({
  name: key.name,
  type: key.type as CreateApiKey["type"],
  workspaceId: key.workspaceId,
  ownerId: key.ownerId,
  expiresAt: key.expiresAt,
  rateLimits: key.rateLimits,
  ...(key.manufacturerScope !== null && { manufacturerScope: key.manufacturerScope })
})

const rotatable = (key: ApiKey) => {
  if (key.type === "SCOPED") return Option.some("A SCOPED key comes from the connect flow: connect again instead")
  return key.revoked ? Option.some("The key is revoked: create a new one instead") : Option.none()
}

const bothWork = (step: string, old: ApiKey, created: ApiKeyCreated) => (error: unknown) => {
  const { code, details, message } = describeFailure(error)
  return new CliFailure({
    code,
    message: `${step}: ${message}`,
    details: [
      ...details,
      `Both keys work. Go on with: edp keys revoke ${old.id}`,
      `or undo with: edp keys revoke ${created.id}`
    ]
  })
}

const deployed = Effect.fnUntraced(function* (yes: boolean) {
  if (yes || (yield* ask("Is the replacement deployed everywhere the old key was used?"))) return
  return yield* new CliFailure({ code: "NOT_DEPLOYED", message: "The old key is not revoked" })
})

/** Replaces the key in the credentials file; for a variable, prints a note. */
const replaceStored = Effect.fnUntraced(function* (old: ApiKey, created: ApiKeyCreated) {
  const { note } = yield* Output
  const { file, keys } = yield* (yield* Connection).profile
  const stored = keys.get(old.type)
  if (stored === undefined || !Redacted.value(stored.key).startsWith(old.keyPrefix)) return Option.none<string>()
  if (Option.isSome(file) && stored.source === file.value) {
    yield* updateCredentials(file.value, { [keyField(old.type)]: created.key })
    return file
  }
  yield* note(`${stored.source} still has the old key: set it to the replacement`)
  return Option.none<string>()
})

const replaceKey = Effect.fn("keys.replace")(function* (old: ApiKey, yes: boolean) {
  const { id } = old
  const connection = yield* Connection
  const output = yield* Output
  const created = yield* request("apiKeys", "create", { payload: makeReplacement(old) })
  if (!output.json) {
    yield* output.show(created, () => renderRecord(createdFields(created)))
    yield* output.note(SHOWN_ONCE)
  }
  const finish = Effect.gen(function* () {
    yield* deployed(yes).pipe(Effect.mapError(bothWork("Stopped", old, created)))
    const client = yield* connection.clientWith(Redacted.make(created.key))
    yield* verifyKey(client, old.type).pipe(Effect.mapError(bothWork("The replacement does not work", old, created)))
    const file = yield* replaceStored(old, created).pipe(
      Effect.mapError(bothWork("The replacement could not be stored", old, created))
    )
    // The replacement revokes a MANAGEMENT key, which proves that the old one is no longer needed.
    const revoke = old.type === "MANAGEMENT" ? client.apiKeys.revoke : yield* connection.endpoint("apiKeys", "revoke")
    // Rotation only replaces the key, so the credentials of its sessions go on.
    yield* revoke({ params: { id }, payload: { made: "keep" } }).pipe(
      Effect.mapError(bothWork("The old key could not be revoked", old, created))
    )
    return file
  })
  const outcome = yield* Effect.exit(finish)
  const file = Exit.isSuccess(outcome) ? Option.getOrNull(outcome.value) : null
  if (output.json) {
    yield* output.show(
      { replacement: created, revoked: Exit.isSuccess(outcome) ? id : null, rewritten: file },
      () => ""
    )
  }
  yield* outcome
  yield* output.note(`The old key is revoked${file === null ? "" : `, and ${file} has the replacement`}.`)
})

const rotateKey = Effect.fn("keys.rotate")(function* (id: string, yes: boolean) {
  if (!yes && !(yield* canAsk)) {
    return yield* usage("No prompt is possible here: deploy the replacement and pass --yes")
  }
  const old = yield* request("apiKeys", "get", { params: { id } })
  const refusal = rotatable(old)
  if (Option.isSome(refusal)) return yield* new CliFailure({ code: "INVALID_STATE", message: refusal.value })
  return yield* isClientKey(old) ? rotateSecret(id) : replaceKey(old, yes)
})

export const rotate = Command.make(
  "rotate",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key to replace")),
    yes: Flag.Boolean("yes").pipe(
      Flag.withDescription("Revoke the old key without asking whether the replacement is deployed"),
      Flag.withDefault(false)
    )
  },
  ({ id, yes }) => rotateKey(id, yes)
).pipe(
  Command.withDescription(
    "Replace an API key without downtime: makes a replacement with the same name, type, scope, limits, owner, expiry and workspace, shows it once, asks whether it is deployed, verifies it with a request, and revokes the old key. When a step fails, both keys keep working. The key of an OpenADR client keeps its id and gets a new secret; the former one works for 24 hours."
  ),
  Command.withShortDescription("Replace an API key without downtime")
)
