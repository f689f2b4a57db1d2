import { refusal, type Routes, type SeenRequest } from "../fakeService.ts"

const now = "2026-01-01T00:00:00.000Z"
const makeId = (at: number) => `c${`${at}`.padStart(24, "0")}`
const listed = (data: ReadonlyArray<unknown>) => ({
  data,
  page: 1,
  perPage: 20,
  totalItems: data.length,
  totalPages: Math.min(1, data.length)
})

interface Stored {
  readonly id: string
  readonly type: string
  readonly manufacturerDeviceId: string
  readonly siteId: string
  readonly referenceId: string
  readonly history: Map<string, object>
}

const deviceBody = (device: Stored) => ({
  id: device.id,
  siteId: device.siteId,
  name: device.manufacturerDeviceId,
  manufacturerDeviceId: device.manufacturerDeviceId,
  serialNumber: null,
  referenceId: device.referenceId,
  manufacturer: "generic",
  type: device.type,
  model: "Generic",
  rawType: null,
  rawModel: null,
  modelYear: null,
  state: {},
  availableCommands: [],
  interventions: [],
  tags: [],
  createdAt: now,
  updatedAt: now,
  connectedAt: now,
  disconnectedAt: null,
  onlineStatus: "unknown",
  lastOnlineAt: null
})

/** Sites, devices and readings in memory, as far as an import needs them. */
export const fakePlatform = () => {
  const sites: Array<Record<string, unknown> & { readonly id: string }> = []
  const devices: Array<Stored> = []
  const pushes: Array<number> = []

  const createSite = ({ body }: SeenRequest) => {
    const defaults = { name: null, referenceId: null, location: null, timezone: null, tags: [], customerIds: [] }
    const site = {
      ...defaults,
      id: makeId(100 + sites.length),
      workspaceId: makeId(1),
      deviceCount: 0,
      createdAt: now,
      updatedAt: now,
      ...body
    }
    sites.push(site)
    return site
  }

  const provision = ({ body }: SeenRequest) => {
    const { deviceModelId, manufacturerDeviceId, referenceId, siteId } = body
    const id = makeId(200 + devices.length)
    const type = deviceModelId === makeId(2) ? "meter" : "inverter"
    const device = { id, type, manufacturerDeviceId, siteId, referenceId: referenceId ?? id, history: new Map() }
    devices.push(device)
    return new Response(JSON.stringify(deviceBody(device)), {
      status: 201,
      headers: { "content-type": "application/json" }
    })
  }

  const push = ({ body }: SeenRequest) => {
    pushes.push(body.readings.length)
    const response = { accepted: 0, duplicates: 0, errors: [] as Array<object> }
    for (const [index, { deviceId, state, timestamp }] of body.readings.entries()) {
      const device = devices.find(({ id }) => id === deviceId)
      const at = new Date(timestamp).toISOString()
      if (device === undefined || state.power === 666) {
        response.errors.push({ index, code: "VALIDATION_ERROR", message: "No such power" })
      } else if (device.history.has(at)) response.duplicates++
      else {
        device.history.set(at, { ...state, createdAt: at, id: makeId(9) })
        response.accepted++
      }
    }
    return response
  }

  const history = ({ path, query }: SeenRequest) => {
    const device = devices.find(({ id }) => id === path.split("/")[3])
    if (device === undefined) return refusal(404, "DEVICE_NOT_FOUND")
    const { from = "", order, to = "" } = query
    const [first, last] = [new Date(from).toISOString(), new Date(to).toISOString()]
    const all = [...device.history.entries()].filter(([at]) => at >= first && at < last).sort()
    if (order === "desc") all.reverse()
    const page = listed(all.map(([, state]) => state))
    return { ...page, data: page.data.slice(0, Number(query["perPage"])) }
  }

  const routes: Routes = {
    "GET /v1/sites": ({ query }) => listed(sites.filter(({ referenceId }) => referenceId === query["referenceId"])),
    "POST /v1/sites": createSite,
    "GET /v1/devices": ({ query }) =>
      listed(devices.filter((device) => device.manufacturerDeviceId === query["manufacturerDeviceId"]).map(deviceBody)),
    "GET /v1/devices/*": history,
    "GET /v1/device-models": ({ query }) => {
      const type = query["type"] ?? "unknown"
      const id = makeId(type === "meter" ? 2 : 3)
      return listed([
        { id, manufacturer: "generic", name: "Generic", type, staticState: null, commands: [], createdAt: now }
      ])
    },
    "POST /devices": provision,
    "POST /devices/telemetry": push
  }
  return { routes, sites, devices, pushes }
}
