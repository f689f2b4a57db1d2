import { CandidateSweep } from "@edp/server/enrollments/CandidateSweep"
import { Effect } from "effect"
import { someAddress } from "../../support/Seed.ts"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeDevices, type GivenDevice } from "../devices/arrangeDevices.ts"

let names = 0

/** A name that no other test uses. */
export const someName = (begin: string) => `${begin}-${Date.now().toString(36)}-${++names}`

export const inNevada = () => ({ ...someAddress(), city: "Reno", state: "NV", postalCode: "89501" })

export const terms = "Up to 20 evenings a year."

/** A workspace with customers, their homes, and a program that it runs. */
export const arrangeEnrollments = async (app: TestApp) => {
  const place = await arrangeDevices(app)

  const required = async (status: number, method: string, path: string, body?: object, type?: "MANAGEMENT") => {
    const response = await place.call(method, path, body, type)
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.text}`)
    return response.body
  }
  const program = (fields: object = {}): Promise<any> =>
    required(201, "POST", "/v1/programs", { slug: someName("peak"), name: "Evening Peak", ...fields }, "MANAGEMENT")
  const instanceFor = (programSlug: string, fields: object = {}): Promise<any> =>
    required(201, "POST", "/v1/programInstances", {
      slug: someName("peak"),
      programSlug,
      title: "Evening Peak",
      description: "",
      eligibilityCriteria: "",
      programTerms: terms,
      ...fields
    })
  const customer = (fields: object = {}): Promise<any> =>
    required(201, "POST", "/v1/customers", { firstName: "Ada", ...fields })

  return {
    ...place,
    /** Stores readings of a device. */
    readings: place.read,
    required,
    program,
    instanceFor,
    customer,
    /** An instance of a new program. */
    instance: async (programFields: object = {}, fields: object = {}): Promise<any> =>
      instanceFor((await program(programFields)).slug, fields),
    /** A customer with a site, and a battery there unless `battery` is null. */
    home: async (battery: GivenDevice | null = {}, siteFields: object = {}) => {
      const { id: customerId } = await customer()
      const { id: siteId } = await place.site({ customerId, ...siteFields })
      const deviceId =
        battery === null
          ? undefined
          : await place.device({
              type: "battery",
              name: "Powerwall",
              siteId,
              staticState: { capacity: 13_500 },
              ...battery
            })
      return { customerId, siteId, deviceId: deviceId! }
    },
    post: (instanceId: string, body: object) =>
      place.call("POST", `/v1/programInstances/${instanceId}/enrollments`, body),
    enroll: (instanceId: string, customerId: string, fields: object = {}): Promise<any> =>
      required(201, "POST", `/v1/programInstances/${instanceId}/enrollments`, {
        identificationType: "customerId",
        customerId,
        ...fields
      }),
    bulk: (instanceId: string, enrollments: ReadonlyArray<unknown>): Promise<any> =>
      required(200, "POST", `/v1/programInstances/${instanceId}/enrollments/bulk`, { enrollments }),
    check: (instanceId: string, body: object) =>
      place.call("POST", `/v1/programInstances/${instanceId}/eligibility`, body),
    move: (id: string, verb: string, body: object = {}) => place.call("POST", `/v1/enrollments/${id}/${verb}`, body),
    moved: (id: string, verb: string, body: object = {}): Promise<any> =>
      required(200, "POST", `/v1/enrollments/${id}/${verb}`, body),
    read: (id: string): Promise<any> => required(200, "GET", `/v1/enrollments/${id}`),
    sweep: () => app.run(Effect.flatMap(CandidateSweep, ({ sweep }) => sweep)),
    events: async (): Promise<ReadonlyArray<any>> => (await required(200, "GET", "/v1/events?after=0&perPage=100")).data
  }
}

export type EnrollmentScene = Awaited<ReturnType<typeof arrangeEnrollments>>

export const aBattery = { attribute: "type", operator: "eq", value: "battery" }
export const atLeast = (capacity: number) => ({ attribute: "staticState.capacity", operator: "gte", value: capacity })
