import { expect } from "vitest"
import type { TestApp, TestWorkspace } from "../../support/TestApp.ts"

let count = 0

export const nobody = `c${"0".repeat(24)}`
export const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** A slug that no other test has. */
export const newSlug = (name = "program") => `${name}-${++count}-${Date.now().toString(36)}`

export const texts = {
  title: "Evening Peak 2026",
  description: "Your battery helps on hot evenings.",
  eligibilityCriteria: "Homes in California with a battery.",
  programTerms: "Up to 20 evenings a year."
}

/** A workspace and what its programs are tried with. */
export const arrangePrograms = async (app: TestApp, given?: TestWorkspace) => {
  const place = given ?? (await app.workspace())
  const { MANAGEMENT, SERVER } = place.keys
  const call = (method: string, path: string, body?: object, key = SERVER) =>
    app.call(method, path, { key, ...(body === undefined ? {} : { body }) })
  const manage = (method: string, path: string, body?: object) => call(method, path, body, MANAGEMENT)
  const program = async (fields: object = {}): Promise<any> => {
    const response = await manage("POST", "/v1/programs", { slug: newSlug(), name: "Evening Peak", ...fields })
    expect([response.status, response.text]).toEqual([201, expect.anything()])
    return response.body
  }
  const instance = async (fields: object = {}): Promise<any> => {
    const programSlug = "programSlug" in fields ? fields.programSlug : (await program()).slug
    const body = { slug: newSlug("instance"), ...texts, ...fields, programSlug }
    const response = await call("POST", "/v1/programInstances", body)
    expect([response.status, response.text]).toEqual([201, expect.anything()])
    return response.body
  }
  return { ...place, call, manage, program, instance }
}
