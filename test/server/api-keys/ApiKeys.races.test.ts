import { expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"

/** Only sessions that truly run side by side can pass one another by. */
describePostgres("the last MANAGEMENT keys of an organization", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })

  /** Two workspaces of one organization, each with one MANAGEMENT key. */
  const arrange = async () => {
    const one = await app.workspace()
    const two = await app.workspace(one.organizationId)
    const findId = async ({ keys }: typeof one) => {
      const { body } = await app.call("GET", "/v1/api-keys?perPage=100", { key: keys.MANAGEMENT })
      return body.data.find((key: any) => key.keyPrefix === keys.MANAGEMENT.slice(0, 12)).id
    }
    return { one: { ...one, keyId: await findId(one) }, two: { ...two, keyId: await findId(two) } }
  }

  type KeyedWorkspace = Awaited<ReturnType<typeof arrange>>["one"]

  const revoke = (by: KeyedWorkspace, which: KeyedWorkspace) =>
    app.call("POST", `/v1/api-keys/${which.keyId}/revoke`, { key: by.keys.MANAGEMENT })
  const remove = (by: KeyedWorkspace, which: KeyedWorkspace) =>
    app.call("DELETE", `/v1/workspaces/${which.workspaceId}`, { key: by.keys.MANAGEMENT })
  const live = async (...places: ReadonlyArray<KeyedWorkspace>) => {
    const statuses = await Promise.all(
      places.map(async ({ keys }) => (await app.call("GET", "/v1/organizations", { key: keys.MANAGEMENT })).status)
    )
    return statuses.filter((status) => status === 200).length
  }

  test("are not both revoked by concurrent requests", async () => {
    for (let round = 0; round < 10; round++) {
      const { one, two } = await arrange()
      const responses = await Promise.all([revoke(one, two), revoke(two, one)])
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(await live(one, two)).toBe(1)
    }
  })

  test("are not both revoked by themselves concurrently", async () => {
    for (let round = 0; round < 10; round++) {
      const { one, two } = await arrange()
      const responses = await Promise.all([revoke(one, one), revoke(two, two)])
      expect(responses.map(({ body }) => body.code ?? "revoked").sort()).toEqual(["INVALID_STATE", "revoked"])
      expect(await live(one, two)).toBe(1)
    }
  })

  test("are not both deleted with each other's workspaces concurrently", async () => {
    for (let round = 0; round < 10; round++) {
      const { one, two } = await arrange()
      await Promise.all([remove(one, two), remove(two, one)])
      expect(await live(one, two)).toBe(1)
    }
  })

  test("are not removed by a concurrent revocation and deletion", async () => {
    for (let round = 0; round < 10; round++) {
      const { one, two } = await arrange()
      await Promise.all([revoke(one, two), remove(two, one)])
      expect(await live(one, two)).toBe(1)
    }
  })
})
