import { eventTypes } from "@edp/domain/events/EventType"
import { describe, expect, test } from "vitest"
import { someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { minutesAgo } from "../alerts/watching.ts"
import { arrangeEvents, type EventScene } from "./arrangeEvents.ts"
import { atOnce } from "../../support/races.ts"

// A sweep 20 minutes ahead issues ids of that time, by which other files' events would not be found.
const app = useTestApp({ own: true })

/** The expected type and part of the data of an event. */
type Expected = readonly [type: string, data: object]

interface EventTrigger {
  readonly name: string
  /** Prepares what is needed; it returns the trigger itself, which returns the expected events. */
  readonly prepare: (scene: EventScene) => Promise<() => Promise<ReadonlyArray<Expected>>>
}

const customer = ({ call }: EventScene, fields: object = { firstName: "Ada" }) => call("POST", "/v1/customers", fields)
const site = ({ call }: EventScene, fields: object = {}) =>
  call("POST", "/v1/sites", { address: someAddress(), ...fields })
const alert = ({ call, site }: EventScene) =>
  call("POST", "/v1/alerts", { siteId: site.id, title: "Dark", sourceSystem: "watch", severity: "INFO" })

const programInstance = async (scene: EventScene) => {
  const slug = `program-${scene.workspaceId}`
  const body = { slug, name: "Evening Peak" }
  const { status, text } = await app.call("POST", "/v1/programs", { key: scene.keys.MANAGEMENT, body })
  expect(status, text).toBe(201)
  const texts = { title: "Evening Peak", description: "", eligibilityCriteria: "", programTerms: "" }
  return scene.call("POST", "/v1/programInstances", { slug, programSlug: slug, ...texts })
}
const enroll = ({ call }: EventScene, instanceId: string) =>
  call("POST", `/v1/programInstances/${instanceId}/enrollments`, {
    identificationType: "customerInfo",
    customerInfo: { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", location: someAddress() }
  })

const updated = (id: string, ...changed: ReadonlyArray<string>): Expected => [
  "DEVICE_UPDATED",
  { device: expect.objectContaining({ id }), changed }
]

const triggers: ReadonlyArray<EventTrigger> = [
  {
    name: "POST /v1/customers",
    prepare: async (scene) => async () => {
      const created = await customer(scene, { firstName: "Ada", siteIds: [scene.site.id] })
      return [["CUSTOMER_CREATED", { customer: created }]]
    }
  },
  {
    name: "POST /v1/customers/bulk, of those that are created",
    prepare: async (scene) => async () => {
      const customers = [{ referenceId: "a" }, { referenceId: "a" }, { referenceId: "b" }]
      const { results } = await scene.call("POST", "/v1/customers/bulk", { customers })
      return [
        ["CUSTOMER_CREATED", { customer: results[0].customer }],
        ["CUSTOMER_CREATED", { customer: results[2].customer }]
      ]
    }
  },
  {
    name: "PATCH /v1/customers/:id",
    prepare: async (scene) => {
      const { id } = await customer(scene)
      return async () => {
        const after = await scene.call("PATCH", `/v1/customers/${id}`, { firstName: "Grace" })
        return [["CUSTOMER_UPDATED", { customer: after }]]
      }
    }
  },
  {
    name: "PATCH /v1/customers/:id that changes nothing",
    prepare: async (scene) => {
      const { id } = await customer(scene)
      return async () => {
        await scene.call("PATCH", `/v1/customers/${id}`, { firstName: "Ada" })
        return []
      }
    }
  },
  {
    name: "DELETE /v1/customers/:id",
    prepare: async (scene) => {
      const before = await customer(scene)
      return async () => {
        await scene.call("DELETE", `/v1/customers/${before.id}`)
        return [["CUSTOMER_DELETED", { customer: before }]]
      }
    }
  },
  {
    name: "POST /v1/sites",
    prepare: async (scene) => {
      const { id } = await customer(scene)
      return async () => {
        const created = await site(scene, { customerId: id })
        expect(created.customerIds).toEqual([id])
        return [["SITE_CREATED", { site: created }]]
      }
    }
  },
  {
    name: "POST /v1/sites/bulk, of those that are created",
    prepare: async (scene) => async () => {
      const [first, second] = [someAddress(), someAddress()]
      const { results } = await scene.call("POST", "/v1/sites/bulk", {
        sites: [{ address: first }, { address: first }, { address: second }]
      })
      return [
        ["SITE_CREATED", { site: results[0].site }],
        ["SITE_CREATED", { site: results[2].site }]
      ]
    }
  },
  {
    name: "PATCH /v1/sites/:id",
    prepare: async (scene) => {
      const { id } = await site(scene)
      return async () => [["SITE_UPDATED", { site: await scene.call("PATCH", `/v1/sites/${id}`, { name: "Hut" }) }]]
    }
  },
  {
    name: "PATCH /v1/sites/:id that changes nothing",
    prepare: async (scene) => {
      const { id, address } = await site(scene, { name: "Hut" })
      return async () => {
        await scene.call("PATCH", `/v1/sites/${id}`, { name: "Hut", address })
        return []
      }
    }
  },
  {
    name: "DELETE /v1/sites/:id, with a device at it",
    prepare: async (scene) => {
      const { id: siteId } = await site(scene)
      const device = await scene.device("inverter", { siteId })
      const before = await scene.call("GET", `/v1/sites/${siteId}`)
      return async () => {
        await scene.call("DELETE", `/v1/sites/${siteId}`)
        return [
          [
            "DEVICE_UPDATED",
            {
              device: expect.objectContaining({ id: device.id, siteId: null }),
              site: null,
              changed: ["siteId", "location"]
            }
          ],
          ["SITE_DELETED", { site: before }]
        ]
      }
    }
  },
  {
    name: "POST /devices, the first time",
    prepare: async (scene) => {
      const owner = await customer(scene, { siteIds: [scene.site.id] })
      return async () => {
        const device = await scene.device()
        const around = await scene.call("GET", `/v1/sites/${scene.site.id}`)
        const owning = await scene.call("GET", `/v1/customers/${owner.id}`)
        return [
          ["DEVICE_DISCOVERED", { device, customer: owning, site: around }],
          ["DEVICE_CONNECTED", { device, customer: owning, site: around }]
        ]
      }
    }
  },
  {
    name: "POST /devices, again",
    prepare: async (scene) => {
      const body = await scene.makeBody("inverter")
      await scene.post("/devices", body)
      return async () => {
        expect((await scene.post("/devices", body)).status).toBe(200)
        return []
      }
    }
  },
  {
    name: "POST /devices of a device that was removed",
    prepare: async (scene) => {
      const body = await scene.makeBody("inverter")
      const { id } = (await scene.post("/devices", body)).body
      await scene.remove(id)
      return async () => {
        const { body: device } = await scene.post("/devices", body)
        return [["DEVICE_CONNECTED", { device }]]
      }
    }
  },
  {
    name: "DELETE /v1/devices/:id",
    prepare: async (scene) => {
      const { id } = await scene.device()
      await scene.speak(id)
      const before = await scene.call("GET", `/v1/devices/${id}`)
      return async () => {
        await scene.remove(id)
        const device = { ...before, disconnectedAt: expect.any(String) }
        return [["DEVICE_DISCONNECTED", { device, site: expect.objectContaining({ id: scene.site.id }) }]]
      }
    }
  },
  {
    name: "PATCH /v1/devices/:id",
    prepare: async (scene) => {
      const { id } = await scene.device()
      const { id: siteId } = await site(scene)
      return async () => {
        const device = await scene.call("PATCH", `/v1/devices/${id}`, { name: "Roof", siteId, referenceId: "me" })
        const changed = ["siteId", "name", "referenceId", "location"]
        return [["DEVICE_UPDATED", { device, site: expect.objectContaining({ id: siteId }), changed }]]
      }
    }
  },
  {
    name: "PATCH /v1/devices/:id that changes nothing",
    prepare: async (scene) => {
      const { id, name, siteId } = await scene.device()
      return async () => {
        await scene.call("PATCH", `/v1/devices/${id}`, { name, siteId })
        return []
      }
    }
  },
  {
    name: "a device's tags, set, added, removed and left alone",
    prepare: async (scene) => {
      const { id } = await scene.device()
      const tags = `/v1/devices/${id}/tags`
      return async () => {
        await scene.call("PUT", tags, { tags: ["a"] })
        await scene.call("POST", tags, { tags: ["b"] })
        await scene.call("POST", tags, { tags: ["b"] })
        await scene.call("DELETE", `${tags}/a`)
        await scene.call("PUT", tags, { tags: ["b"] })
        return [["a"], ["a", "b"], ["b"]].map((tags): Expected => [
          "DEVICE_UPDATED",
          { device: expect.objectContaining({ id, tags }), changed: ["tags"] }
        ])
      }
    }
  },
  {
    name: "PUT and DELETE /v1/sites/:id/devices/:deviceId",
    prepare: async (scene) => {
      const { id } = await scene.device()
      const link = `/v1/sites/${(await site(scene)).id}/devices/${id}`
      return async () => {
        await scene.call("PUT", link)
        await scene.call("PUT", link)
        await scene.call("DELETE", link)
        return [updated(id, "siteId", "location"), updated(id, "siteId", "location")]
      }
    }
  },
  {
    name: "POST /devices/:id/telemetry, by each new current state",
    prepare: async (scene) => {
      const owner = await customer(scene, { siteIds: [scene.site.id] })
      const { id } = await scene.device()
      return async () => {
        const reading = (minutes: number, power: number) => ({ timestamp: minutesAgo(minutes), state: { power } })
        const [older, newer] = [reading(50, 1), reading(10, 4)]
        const first = (await scene.push(id, older)).body.latest
        await scene.push(id, { readings: [reading(30, 2), reading(20, 3), newer] })
        await scene.push(id, newer)
        await scene.push(id, reading(40, 5))
        const device = await scene.call("GET", `/v1/devices/${id}`)
        const around = await scene.call("GET", `/v1/sites/${scene.site.id}`)
        const owning = await scene.call("GET", `/v1/customers/${owner.id}`)
        const place = { customer: owning, site: around, changed: ["state"] }
        return [
          ["DEVICE_UPDATED", { ...place, device: { ...device, state: first, lastOnlineAt: older.timestamp } }],
          ["DEVICE_UPDATED", { ...place, device }]
        ]
      }
    }
  },
  {
    name: "POST /devices/telemetry, by each device's new current state",
    prepare: async (scene) => {
      const devices = await atOnce(3, () => scene.device())
      return async () => {
        const ids = devices.map(({ id }) => id).sort()
        const readings = [...ids, ...ids, "nowhere"].map((deviceId, n) => ({
          deviceId,
          timestamp: minutesAgo(60 - n),
          state: { power: n }
        }))
        await scene.pushBulk(readings)
        return ids.map((id, n): Expected => [
          "DEVICE_UPDATED",
          {
            device: expect.objectContaining({ id, state: expect.objectContaining({ power: 3 + n }) }),
            changed: ["state"]
          }
        ])
      }
    }
  },
  {
    name: "POST /v1/alerts",
    prepare: async (scene) => async () => [["ALERT_CREATED", { alert: await alert(scene) }]]
  },
  {
    name: "the moves of an alert, the same one twice too",
    prepare: async (scene) => {
      const { id } = await alert(scene)
      return async () => {
        const events: Array<Expected> = []
        for (const move of ["acknowledge", "acknowledge", "ignore", "resolve"]) {
          events.push(["ALERT_UPDATED", { alert: await scene.call("PATCH", `/v1/alerts/${id}/${move}`) }])
        }
        return events
      }
    }
  },
  {
    name: "POST /v1/programInstances/:id/enrollments of a new customer, and the enrollment's decision",
    prepare: async (scene) => {
      const instance = await programInstance(scene)
      return async () => {
        const enrollment = await enroll(scene, instance.id)
        const customer = await scene.call("GET", `/v1/customers/${enrollment.customerId}`)
        const site = await scene.call("GET", `/v1/sites/${enrollment.siteId}`)
        const approved = await scene.call("POST", `/v1/enrollments/${enrollment.id}/approve`, {})
        await scene.call("POST", `/v1/enrollments/${enrollment.id}/unenroll`, {})
        return [
          ["CUSTOMER_CREATED", { customer: { ...customer, connectedSiteIds: [] } }],
          ["SITE_CREATED", { site: { ...site, customerIds: [] } }],
          ["ENROLLMENT_SUBMITTED", { enrollment, customer }],
          ["ENROLLMENT_APPROVED", { enrollment: approved, customer }]
        ]
      }
    }
  },
  {
    name: "POST /v1/programInstances/:id/enrollments/bulk, of those that are submitted, and a rejection",
    prepare: async (scene) => {
      const { id } = await programInstance(scene)
      const [first, second] = [await customer(scene), await customer(scene)]
      return async () => {
        const enrollments = [
          { identificationType: "customerId", customerId: first.id },
          { identificationType: "customerId", customerId: first.id },
          { identificationType: "customerId", customerId: second.id, submit: false }
        ]
        const { results } = await scene.call("POST", `/v1/programInstances/${id}/enrollments/bulk`, { enrollments })
        const { enrollment } = results[0]
        const rejected = await scene.call("POST", `/v1/enrollments/${enrollment.id}/reject`, { reason: "Full" })
        return [
          ["ENROLLMENT_SUBMITTED", { enrollment, customer: first }],
          ["ENROLLMENT_REJECTED", { enrollment: rejected, customer: first }]
        ]
      }
    }
  },
  {
    name: "a device that falls silent, and is heard again",
    prepare: async (scene) => {
      const id = await scene.speaking()
      return async () => {
        await scene.sweep(20)
        const [raised] = await scene.alerts()
        await scene.speak(id)
        await scene.sweep()
        const [resolved] = await scene.alerts()
        return [["ALERT_CREATED", { alert: raised }], updated(id, "state"), ["ALERT_UPDATED", { alert: resolved }]]
      }
    }
  }
]

/** Event types whose causes have tests of their own. */
const uncaused = /^(COMMAND|CONNECTION)_/

const refusals: ReadonlyArray<readonly [name: string, attempt: (scene: EventScene) => Promise<number>]> = [
  [
    "a site whose address is taken",
    async ({ keys, site: { address } }) =>
      (await app.call("POST", "/v1/sites", { key: keys.SERVER, body: { address } })).status
  ],
  [
    "a customer at a site that does not exist",
    async ({ keys }) =>
      (await app.call("POST", "/v1/customers", { key: keys.SERVER, body: { siteIds: ["nowhere"] } })).status
  ],
  [
    "a device that differs from what was provisioned",
    async (scene) => {
      const body = await scene.makeBody("inverter", { name: "One" })
      await scene.post("/devices", body)
      return (await scene.post("/devices", { ...body, name: "Other" })).status
    }
  ],
  [
    "a device put at a site that does not exist",
    async (scene) => {
      const { id } = await scene.device()
      const body = { name: "Roof", siteId: "nowhere" }
      return (await app.call("PATCH", `/v1/devices/${id}`, { key: scene.keys.SERVER, body })).status
    }
  ],
  [
    "what deletion protection refuses",
    async (scene) => {
      const { id } = await scene.device()
      const protect = (deletionProtection: boolean) =>
        app.call("PATCH", `/v1/workspaces/${scene.workspaceId}`, {
          key: scene.keys.MANAGEMENT,
          body: { deletionProtection }
        })
      await protect(true)
      const { status } = await scene.remove(id)
      await app.call("DELETE", `/v1/sites/${scene.site.id}`, { key: scene.keys.SERVER })
      await protect(false)
      return status
    }
  ]
]

/** The events of one push have no defined order. */
const inOrder = (events: ReadonlyArray<any>) =>
  events.every(({ data }) => data.changed?.[0] === "state")
    ? events.toSorted((one, other) => one.data.device.state.power - other.data.device.state.power)
    : events

describe("the events of", () => {
  const seen = new Set<string>()

  test.each(triggers)("$name", async ({ prepare }) => {
    const scene = await arrangeEvents(app)
    const trigger = await prepare(scene)
    let expected: ReadonlyArray<Expected> = []
    const events = await scene.publishedDuring(async () => {
      expected = await trigger()
    })
    expect(inOrder(events).map(({ type, data }) => [type, data])).toEqual(
      expected.map(([type, data]) => [type, expect.objectContaining(data)])
    )
    for (const { type, version, workspaceId } of events) {
      expect([version, workspaceId]).toEqual(["1.0.0", scene.workspaceId])
      seen.add(type)
    }
  })

  test("every event type with a trigger is covered", () => {
    expect([...seen].sort()).toEqual(eventTypes.filter((type) => !uncaused.test(type)).sort())
  })

  test.each(refusals)("a rejected request are empty: %s", async (_, attempt) => {
    const scene = await arrangeEvents(app)
    let status = 0
    const events = await scene.publishedDuring(async () => {
      status = await attempt(scene)
    })
    expect(status).toBeGreaterThanOrEqual(400)
    const made = /^DEVICE_(DISCOVERED|CONNECTED)$/
    expect(events.filter(({ type }) => !made.test(type))).toEqual([])
    expect(events.length).toBeLessThanOrEqual(2)
  })
})
