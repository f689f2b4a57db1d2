import WebSocket from "ws"

type Fields = Record<string, any>

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A Shelly Pro 3EM in its profile of three phases, as it describes itself and its status. */
export const pro3em = (mac = "08F9E0000001") => ({
  id: `shellypro3em-${mac.toLowerCase()}`,
  info: {
    name: "Main meter",
    mac,
    model: "SPEM-003CEBEU",
    gen: 2,
    fw_id: "20241011-114455/1.4.4-g6d2a586",
    ver: "1.4.4",
    app: "Pro3EM",
    profile: "triphase"
  } as Fields,
  status: {
    "em:0": {
      id: 0,
      a_current: 1.72,
      a_voltage: 231.6,
      a_act_power: -398.2,
      b_current: 0.9,
      b_voltage: 230.9,
      b_act_power: -207.1,
      c_current: 0.91,
      c_voltage: 231.1,
      c_act_power: -207.1,
      n_current: null,
      total_current: 3.53,
      total_act_power: -812.4
    } as Fields,
    "emdata:0": { id: 0, total_act: 1834211.57, total_act_ret: 922817.04 } as Fields
  } as Fields
})

/** A Shelly Plus 1PM: a relay that measures. */
export const plus1pm = (mac = "08F9E0000004") => ({
  id: `shellyplus1pm-${mac.toLowerCase()}`,
  info: {
    name: null,
    mac,
    model: "SNSW-001P16EU",
    gen: 2,
    fw_id: "20250924-062823/1.7.5-gbe6b4f3",
    ver: "1.7.5",
    app: "Plus1PM"
  } as Fields,
  status: {
    "input:0": { id: 0, state: false },
    "switch:0": {
      id: 0,
      source: "init",
      output: true,
      apower: 2204.6,
      voltage: 228.1,
      current: 9.7,
      aenergy: { total: 420110.5, by_minute: [36743, 36700, 36650], minute_ts: 1772366400 }
    } as Fields
  } as Fields
})

export interface ShellyModel {
  readonly id: string
  readonly info: Fields
  readonly status: Fields
}

/** The watts that flow while a relay is on. */
const LOAD = 2204.6

export interface ShellyOptions {
  /** It does not announce its status. */
  readonly isSilent?: boolean
  /** Methods to which it does not respond. */
  readonly deaf?: Set<string>
  /** Errors to which methods lead. */
  readonly errors?: Record<string, { readonly code: number; readonly message: string }>
  /** Its relay takes requests and does not move. */
  readonly isStuck?: boolean
  readonly protocols?: ReadonlyArray<string>
  /** It sends no pongs. */
  readonly isFrozen?: boolean
}

/** The whole status of a device. */
const wholeStatus = ({ info, status }: ShellyModel): Fields => ({
  ...status,
  ws: { connected: true },
  wifi: { rssi: -61, ssid: "home" },
  sys: { mac: info["mac"], restart_required: false, uptime: 12, ram_free: 166_676, cfg_rev: 15 }
})

/** The result of a method that reads; undefined for a method that the device does not have. */
export const readShelly = (model: ShellyModel, method: string, params: Fields): Fields | undefined => {
  const { id, info, status } = model
  if (method === "Shelly.GetDeviceInfo") return { id, ...info, auth_en: true, auth_domain: id }
  if (method === "Shelly.GetStatus") return wholeStatus(model)
  if (method === "Shelly.GetComponents") return { components: [], cfg_rev: 15, offset: 0, total: 0 }
  if (method === "Shelly.GetConfig") {
    const { fw_id, mac, name } = info
    const components = Object.entries(status).map(([key, { id: number }]) => [key, { id: number, name: null }])
    return { ...Object.fromEntries(components), sys: { device: { name, mac, fw_id } } }
  }
  return method.endsWith(".GetStatus") ? status[`${method.split(".")[0]!.toLowerCase()}:${params["id"]}`] : undefined
}

/** Responds as a device at an end of a WebSocket, whoever has opened it. */
export const speakShelly = (socket: WebSocket, model: ShellyModel, options: ShellyOptions = {}): ShellyPeer => {
  const { id, status } = model
  const requests: Array<Fields> = []
  const received: Array<Fields> = []
  const say = (frame: unknown) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame))
  const notify = (method: string, params: Fields) =>
    say({ src: id, dst: "ws", method, params: { ts: 1772366400.12, ...params } })

  const turn = ({ id: number, on, toggle_after: seconds }: Fields) => {
    const relay = status[`switch:${number}`] as Fields
    const was = relay["output"]
    if (!options.isStuck) {
      Object.assign(relay, { output: on, source: "WS_out", apower: on ? LOAD : 0, current: on ? 9.7 : 0 })
      delete relay["timer_started_at"]
      delete relay["timer_duration"]
      if (seconds !== undefined) Object.assign(relay, { timer_started_at: 1772366400, timer_duration: seconds })
    }
    return { was_on: was }
  }

  socket.on("message", (data) => {
    const frame = JSON.parse(String(data)) as Fields
    received.push(frame)
    const { id: number, method, params = {}, src } = frame
    if (method === undefined) return
    requests.push({ method, params })
    if (options.deaf?.has(method) === true) return
    const error = options.errors?.[method]
    const result = method === "Switch.Set" ? turn(params) : readShelly(model, method, params)
    const content =
      error !== undefined
        ? { error }
        : result === undefined
          ? { error: { code: 404, message: `No handler for ${method}` } }
          : { result }
    say({ id: number, src: id, dst: src, ...content })
  })
  const closed = new Promise<{ readonly code: number; readonly reason: string }>((ended) =>
    socket.on("close", (code, reason) => ended({ code, reason: reason.toString() }))
  )
  return {
    socket,
    requests,
    received,
    say,
    /** Changes fields of a component, and notifies them alone. */
    change: (component, fields) => {
      const known = (status[component] ??= {}) as Fields
      for (const [name, value] of Object.entries(fields))
        known[name] = isObject(value) ? { ...known[name], ...value } : value
      notify("NotifyStatus", { [component]: { id: Number(component.split(":")[1]), ...fields } })
    },
    notify,
    asked: (method) => requests.filter((one) => one["method"] === method).map((one) => one["params"] as Fields),
    closed
  }
}

/**
 * A device in the shape of a Shelly of the second generation, written after its technical documentation: it dials, announces its whole
 * status, responds to requests and notifies changes.
 */
export const dialShelly = (url: string, model: ShellyModel, options: ShellyOptions = {}): Promise<ShellyPeer> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, [...(options.protocols ?? [])], { autoPong: options.isFrozen !== true })
    const peer = speakShelly(socket, model, options)
    socket
      .on("open", () => {
        if (options.isSilent !== true) peer.notify("NotifyFullStatus", wholeStatus(model))
        resolve(peer)
      })
      .on("unexpected-response", (_, { statusCode }) => reject(new Error(`HTTP ${statusCode}`)))
      .on("error", reject)
  })

export interface ShellyPeer {
  readonly socket: WebSocket
  /** Requests of the platform, in their order. */
  readonly requests: ReadonlyArray<Fields>
  /** Every message of the platform. */
  readonly received: ReadonlyArray<Fields>
  readonly say: (frame: unknown) => void
  readonly change: (component: string, fields: Fields) => void
  readonly notify: (method: string, params: Fields) => void
  /** The parameters of each request of a method. */
  readonly asked: (method: string) => ReadonlyArray<Fields>
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}
