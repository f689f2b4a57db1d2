import { describe, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { expectError } from "../../support/expectError.ts"
import { type TestApp, type TestWorkspace, useTestApp } from "../../support/TestApp.ts"

let serial = 0

/** A MANAGEMENT key of an organization, and what it may try. */
const tries = (app: TestApp, { keys, organizationId }: TestWorkspace) => {
  const call = (method: string, path: string, body: object) => app.call(method, path, { key: keys.MANAGEMENT, body })
  return {
    organizationId,
    create: (slug = `maker-${++serial}`) =>
      call("POST", "/v1/manufacturers", { slug, name: "Maker", deviceTypes: ["meter"] }),
    rename: (slug: string) => call("PATCH", `/v1/manufacturers/${slug}`, { name: `Renamed ${++serial}` }),
    addModel: (manufacturer: string) =>
      call("POST", "/v1/device-models", { manufacturer, name: `Model ${++serial}`, type: "meter" }),
    renameModel: (id: string) => call("PATCH", `/v1/device-models/${id}`, { name: `Model ${++serial}` }),
    findModel: async (manufacturer: string) => {
      const path = `/v1/device-models?manufacturer=${manufacturer}&type=meter`
      return (await app.call("GET", path, { key: keys.MANAGEMENT })).body.data[0].id as string
    }
  }
}

const shared = /shared catalogue/
const foreign = /another organization/

const expectForbidden = (response: Parameters<typeof expectError>[0], message: RegExp) => {
  expectError(response, 403, "FORBIDDEN")
  expect(response.body.message).toMatch(message)
}

type Tries = ReturnType<typeof tries>

const expectChanges = async (who: Tries, slug: string) => {
  expect((await who.rename(slug)).status).toBe(200)
  const model = await who.addModel(slug)
  expect(model.status).toBe(201)
  expect((await who.renameModel(model.body.id)).status).toBe(200)
}

const expectRefused = async (who: Tries, slug: string, message: RegExp) => {
  expectForbidden(await who.rename(slug), message)
  expectForbidden(await who.addModel(slug), message)
  expectForbidden(await who.renameModel(await who.findModel(slug)), message)
}

describe("a manufacturer that an organization created", () => {
  const app = useTestApp({ env: { EDP_SHARED_CATALOGUE_WRITES: "first" } })

  test("can be changed by all its workspaces and by no other organization; the others can use it", async () => {
    const place = await app.workspace()
    const owner = tries(app, place)
    const colleague = tries(app, await app.workspace(place.organizationId))
    const other = tries(app, await app.workspace())
    const { slug } = (await owner.create()).body
    await expectChanges(owner, slug)
    await expectChanges(colleague, slug)
    await expectRefused(other, slug, foreign)
    expect(await other.findModel(slug)).toEqual(await owner.findModel(slug))
  })

  test("can only be changed by the first organization if it is of the catalogue", async () => {
    const [first] = await app.sql<{ readonly id: string }>(
      (sql) => sql`SELECT id FROM organizations ORDER BY id LIMIT 1`
    )
    await expectChanges(tries(app, await app.workspace(first!.id)), "generic")
    await expectRefused(tries(app, await app.workspace()), "generic", shared)
  })

  test("records a rejected change in the audit log of the caller", async () => {
    const place = await app.workspace()
    const { slug } = (await tries(app, await app.workspace()).create()).body
    await tries(app, place).rename(slug)
    const path = `/v1/audit-logs?actorId=${await ownKey(place)}`
    const refused = await eventually("the refusal is recorded", async () => {
      const { body } = await app.call("GET", path, { key: place.keys.MANAGEMENT })
      return body.data[0]
    })
    expect(refused).toMatchObject({ action: "access.refused", resourceId: "PATCH /v1/manufacturers/:slug" })
  })

  const ownKey = async ({ workspaceId }: TestWorkspace) => {
    const [key] = await app.sql<{ readonly id: string }>(
      (sql) => sql`SELECT id FROM api_keys WHERE workspace_id = ${workspaceId} AND type = 'MANAGEMENT'`
    )
    return key!.id
  }
})

describe("the shared catalogue", () => {
  const closed = useTestApp({ env: { EDP_SHARED_CATALOGUE_WRITES: "none" } })
  const open = useTestApp({ env: { EDP_SHARED_CATALOGUE_WRITES: "any" } })
  const given = "c00000000000000000000ours"
  const ofOne = useTestApp({ env: { EDP_SHARED_CATALOGUE_WRITES: given } })

  test("can't be changed if the setting is none", async () => {
    const who = tries(closed, await closed.workspace())
    await expectRefused(who, "generic", shared)
    await expectChanges(who, (await who.create()).body.slug)
  })

  test("can be changed by every organization if the setting is any, and an own manufacturer still only by its creator", async () => {
    await expectChanges(tries(open, await open.workspace()), "generic")
    const other = tries(open, await open.workspace())
    await expectChanges(other, "generic")
    const made = (await tries(open, await open.workspace()).create()).body.slug
    expectForbidden(await other.rename(made), foreign)
  })

  test("can be changed by the organization that the setting names", async () => {
    await ofOne.sql((sql) => sql`INSERT INTO organizations VALUES (${given}, 'Ours', now(), now())`)
    await expectRefused(tries(ofOne, await ofOne.workspace()), "generic", shared)
    await expectChanges(tries(ofOne, await ofOne.workspace(given)), "generic")
  })
})
