import { Effect, Option } from "effect"
import type { ServerConfig } from "../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import type { OpenAdrClient } from "./clients/OpenAdrClients.ts"
import type { VtnObjects } from "./objects/VtnObjects.ts"
import { refusal, type VtnRefusal } from "./problem.ts"
import {
  type BrokerView,
  type NotifiedKind,
  operationTopics,
  type OperationTopics
} from "./notifications/brokerTopics.ts"

/** The response of `GET /notifiers`. */
export const notifiers = ({
  openAdrBroker,
  openAdrBrokerAuthentication,
  openAdrBrokerPublicUrl
}: ServerConfig["Service"]) => ({
  WEBHOOK: true,
  ...(Option.isSome(openAdrBroker) && {
    MQTT: {
      URIS: [Option.getOrElse(openAdrBrokerPublicUrl, () => openAdrBroker.value.url)],
      serialization: "JSON",
      authentication:
        openAdrBrokerAuthentication === "anonymous"
          ? { method: "ANONYMOUS" }
          : { method: "OAUTH2_BEARER_TOKEN", username: "{clientID}" }
    }
  })
})

type Topics = Effect.Effect<OperationTopics, VtnRefusal | DatabaseUnavailable>

/** The topics under `/notifiers/mqtt/topics`, by their paths; `id` is that of the program or ven in the path. */
export const makeTopicRoutes = (objects: VtnObjects["Service"]) => {
  /** The view that a client has of all objects. */
  const ownView = Effect.fnUntraced(function* (client: OpenAdrClient) {
    const { clientId, role, workspaceId } = client
    if (role === "BL") return { workspaceId, clientId: null } satisfies BrokerView
    const [ven] = yield* objects.list(client, "vens", {}, { skip: 0, limit: 1 })
    // A client without a ven is told nothing.
    if (ven === undefined) return yield* refusal(404, "A ven is needed first: its client is notified of what it sees")
    return { workspaceId, clientId } satisfies BrokerView
  })

  const all =
    (kind: NotifiedKind) =>
    (client: OpenAdrClient): Topics =>
      Effect.map(ownView(client), (view) => operationTopics(view, kind))

  const ofProgram =
    (kind: "programs" | "events") =>
    (client: OpenAdrClient, id: string): Topics =>
      Effect.gen(function* () {
        yield* objects.get(client, "programs", id)
        return operationTopics(yield* ownView(client), kind, id, kind === "programs")
      })

  const forBusinessLogic =
    (kind: NotifiedKind) =>
    (client: OpenAdrClient): Topics =>
      client.role === "BL"
        ? all(kind)(client)
        : Effect.fail(refusal(403, `Business logic alone is notified of all ${kind}: ask for those of your ven`))

  /** The programs or events of which the client of a ven is told. */
  const seenByVen =
    (kind: "programs" | "events") =>
    (client: OpenAdrClient, id: string): Topics =>
      Effect.gen(function* () {
        const { clientID } = yield* objects.get(client, "vens", id)
        return operationTopics({ workspaceId: client.workspaceId, clientId: String(clientID) }, kind)
      })

  const ofVen =
    (kind: "vens" | "resources") =>
    (client: OpenAdrClient, id: string): Topics =>
      Effect.gen(function* () {
        yield* objects.get(client, "vens", id)
        return operationTopics(yield* ownView(client), kind, id, kind === "vens")
      })

  return {
    programs: all("programs"),
    "programs/:id": ofProgram("programs"),
    "programs/:id/events": ofProgram("events"),
    events: forBusinessLogic("events"),
    reports: forBusinessLogic("reports"),
    subscriptions: forBusinessLogic("subscriptions"),
    vens: forBusinessLogic("vens"),
    resources: forBusinessLogic("resources"),
    "vens/:id": ofVen("vens"),
    "vens/:id/events": seenByVen("events"),
    "vens/:id/programs": seenByVen("programs"),
    "vens/:id/resources": ofVen("resources")
  } satisfies Readonly<Record<string, (client: OpenAdrClient, id: string) => Topics>>
}
