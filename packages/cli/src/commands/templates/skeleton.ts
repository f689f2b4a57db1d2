import { manufacturerSlug } from "@edp/adapter-templates/DeviceTemplate"

export const skeletonProtocols = ["http", "modbus", "mqtt"] as const

/** The parts in which the protocols differ, for a meter with one value. */
const parts = {
  http: {
    requests: { status: { path: "/api/status" } },
    fields: { power: { path: "power", unit: "W" } },
    fixture: { responses: { status: { power: 1200 } } }
  },
  modbus: {
    fields: { power: { address: 0, type: "int32", unit: "W" } },
    fixture: { registers: { "1/holding/0": [0, 1200] } }
  },
  mqtt: {
    fields: { power: { topic: "devices/{id}/status", path: "power", unit: "W" } },
    fixture: { id: "device-1", messages: { "devices/device-1/status": '{"power": 1200}' } }
  }
} as const

/** A valid template to begin with: a meter that reports its power. */
export const templateSkeleton = (
  protocol: (typeof skeletonProtocols)[number],
  manufacturer: string,
  model: string
): Readonly<Record<string, unknown>> => {
  const { fields, fixture, ...own } = parts[protocol]
  return {
    slug: manufacturerSlug({ manufacturer: `${manufacturer} ${model}` }),
    name: `${manufacturer} ${model}`,
    manufacturer,
    protocol,
    source: "The public documentation of the device: name it here, with its version",
    ...own,
    devices: [{ key: "meter", type: "meter", model, ...(protocol === "modbus" && { unitId: 1 }), fields }],
    fixture: {
      shape: "In a sentence: the situation that the fixture shows",
      ...fixture,
      expected: { meter: { state: { power: 1200 } } }
    }
  }
}
