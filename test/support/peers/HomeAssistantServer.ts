import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"

type Fields = Record<string, unknown>

export interface PeerEntity {
  state: string
  attributes: Fields
  updatedAt: number
}

export interface HomeAssistantData {
  readonly token: string
  /** Null: the energy dashboard is not set up. */
  readonly preferences: Fields | null
  readonly devices: ReadonlyArray<Fields>
  readonly entities: ReadonlyArray<Fields>
  readonly states: Readonly<Record<string, { readonly state: string; readonly attributes: Fields }>>
}

/** The services that the peer has, as changes of an entity: a string is the message of an error. */
const services: Readonly<Record<string, (entity: PeerEntity, data: Fields) => Partial<PeerEntity> | string>> = {
  "switch.turn_on": () => ({ state: "on" }),
  "switch.turn_off": () => ({ state: "off" }),
  "climate.set_hvac_mode": ({ attributes }, { hvac_mode: mode }) =>
    (attributes["hvac_modes"] as ReadonlyArray<unknown>).includes(mode)
      ? { state: String(mode) }
      : `HVAC mode ${String(mode)} is not valid`,
  "climate.set_temperature": ({ attributes }, data) => ({ attributes: { ...attributes, ...data } }),
  "climate.set_fan_mode": ({ attributes }, { fan_mode: mode }) => ({ attributes: { ...attributes, fan_mode: mode } })
}

/** A WebSocket server that behaves as the API of Home Assistant does: it knows nothing of the adapter's code. */
export const startHomeAssistant = async (data: HomeAssistantData) => {
  let { preferences, token } = data
  let registered = [...data.entities]
  let failure: { readonly code: string; readonly message: string } | undefined
  let ignoresServices = false
  const entities = new Map<string, PeerEntity>(
    Object.entries(data.states).map(([id, { attributes, state }]) => [id, { state, attributes, updatedAt: Date.now() }])
  )
  const calls: Array<Fields> = []
  const requests: Array<string> = []
  const followers = new Set<(id: string, before: PeerEntity | undefined) => void>()
  const registryFollowers = new Map<string, Set<() => void>>()
  const server = createServer()
  const sockets = new WebSocketServer({ server, path: "/api/websocket" })
  const connections = new Set<WebSocket>()
  let logins = 0

  const change = (id: string, changed: Partial<PeerEntity>) => {
    const before = entities.get(id)
    entities.set(id, { state: "unknown", attributes: {}, ...before, ...changed, updatedAt: Date.now() })
    for (const follow of followers) follow(id, before)
  }

  const compressed = ({ attributes, state, updatedAt }: PeerEntity) => ({
    s: state,
    a: attributes,
    c: "context",
    lc: updatedAt / 1000
  })

  const serve = (socket: WebSocket) => {
    const send = (message: Fields) => socket.send(JSON.stringify(message))
    const ending: Array<() => void> = []
    const subscriptions = new Map<number, () => void>()
    let isAuthenticated = false
    let lastId = 0
    const handle = (id: number, message: Fields) => {
      const result = (value: unknown) => send({ id, type: "result", success: true, result: value })
      const refuse = (code: string, text: string) =>
        send({ id, type: "result", success: false, error: { code, message: text } })
      const subscribe = (end: () => void) => {
        subscriptions.set(id, end)
        ending.push(end)
        result(null)
      }
      switch (message["type"]) {
        case "ping":
          return send({ id, type: "pong" })
        case "get_config":
          return result({ location_name: "Casa", version: "2026.11.0", unit_system: { temperature: "°C" } })
        case "config/entity_registry/list":
          return result(registered)
        case "config/device_registry/list":
          return result(data.devices)
        case "energy/get_prefs":
          return preferences === null ? refuse("not_found", "No prefs") : result(preferences)
        case "get_states":
          return result(
            [...entities].map(([entityId, { attributes, state, updatedAt }]) => ({
              entity_id: entityId,
              state,
              attributes,
              last_updated: new Date(updatedAt).toISOString()
            }))
          )
        case "subscribe_entities": {
          const ids = message["entity_ids"] as ReadonlyArray<string>
          const follow = (entityId: string, before: PeerEntity | undefined) => {
            if (!ids.includes(entityId)) return
            const now = entities.get(entityId)!
            const added = Object.entries(now.attributes).filter(([name, value]) => before?.attributes[name] !== value)
            const removed = Object.keys(before?.attributes ?? {}).filter((name) => !(name in now.attributes))
            const plus = {
              ...(now.state !== before?.state && { s: now.state }),
              ...(added.length > 0 && { a: Object.fromEntries(added) }),
              lu: now.updatedAt / 1000
            }
            const event =
              before === undefined
                ? { a: { [entityId]: compressed(now) } }
                : { c: { [entityId]: { "+": plus, ...(removed.length > 0 && { "-": { a: removed } }) } } }
            send({ id, type: "event", event })
          }
          followers.add(follow)
          subscribe(() => followers.delete(follow))
          const known = ids.filter((one) => entities.has(one))
          return send({
            id,
            type: "event",
            event: { a: Object.fromEntries(known.map((one) => [one, compressed(entities.get(one)!)])) }
          })
        }
        case "subscribe_events": {
          const type = String(message["event_type"])
          const tell = () => send({ id, type: "event", event: { event_type: type, data: {} } })
          const all = registryFollowers.get(type) ?? new Set()
          registryFollowers.set(type, all.add(tell))
          return subscribe(() => all.delete(tell))
        }
        case "unsubscribe_events": {
          subscriptions.get(Number(message["subscription"]))?.()
          return result(null)
        }
        case "call_service": {
          calls.push(message)
          const service = services[`${String(message["domain"])}.${String(message["service"])}`]
          const entityId = String((message["target"] as Fields)["entity_id"])
          const entity = entities.get(entityId)
          if (service === undefined || entity === undefined) return refuse("not_found", "Service not found.")
          if (failure !== undefined) return refuse(failure.code, failure.message)
          const changed = ignoresServices ? {} : service(entity, message["service_data"] as Fields)
          if (typeof changed === "string") return refuse("service_validation_error", changed)
          if (Object.keys(changed).length > 0) change(entityId, changed)
          return result({ context: { id: "context" } })
        }
        default:
          return refuse("unknown_command", "Unknown command.")
      }
    }
    connections.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      connections.delete(socket)
      for (const end of ending) end()
    })
    socket.on("message", (raw) => {
      const message = JSON.parse(raw.toString()) as Fields
      if (!isAuthenticated) {
        isAuthenticated = message["type"] === "auth" && message["access_token"] === token
        if (isAuthenticated) {
          logins += 1
          return send({ type: "auth_ok", ha_version: "2026.11.0" })
        }
        send({ type: "auth_invalid", message: "Invalid access token or password" })
        return socket.close()
      }
      const { id } = message
      if (typeof id !== "number" || id <= lastId) {
        return send({
          id,
          type: "result",
          success: false,
          error: { code: "id_reuse", message: "Identifier values have to increase." }
        })
      }
      lastId = id
      requests.push(String(message["type"]))
      handle(id, message)
    })
    send({ type: "auth_required", ha_version: "2026.11.0" })
  }
  sockets.on("connection", serve)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")

  return {
    port: (server.address() as AddressInfo).port,
    calls,
    requests,
    logins: () => logins,
    connections: () => connections.size,
    state: (id: string) => entities.get(id),
    set: (id: string, state: string, attributes?: Fields) =>
      change(id, {
        state,
        ...(attributes !== undefined && { attributes: { ...entities.get(id)?.attributes, ...attributes } })
      }),
    /** Changes the registry of entities, and says so to those who follow it. */
    setRegistry: (changed: ReadonlyArray<Fields>) => {
      registered = [...changed]
      for (const tell of registryFollowers.get("entity_registry_updated") ?? []) tell()
    },
    setPreferences: (changed: Fields | null) => void (preferences = changed),
    setToken: (changed: string) => void (token = changed),
    /** From now on every service fails so; undefined: none does. */
    failServices: (code?: string, message = "It failed") =>
      void (failure = code === undefined ? undefined : { code, message }),
    /** From now on services are accepted and change nothing. */
    ignoreServices: () => void (ignoresServices = true),
    drop: () => {
      for (const socket of connections) socket.terminate()
    },
    close: async () => {
      for (const socket of connections) socket.terminate()
      sockets.close()
      server.close()
      await once(server, "close")
    }
  }
}
export type HomeAssistantServer = Awaited<ReturnType<typeof startHomeAssistant>>
