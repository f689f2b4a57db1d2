import { expect, test } from "vitest"
import { type PrismVtn, startPrismVtn } from "../../support/peers/PrismVtn.ts"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDispatches } from "../dispatches/arrangeDispatches.ts"
import { officialDocument } from "../vtn/openAdrDocument.ts"
import { pollDue } from "./arrangeGrid.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })

const using = async (use: (vtn: PrismVtn) => Promise<void>) => {
  const vtn = await startPrismVtn(officialDocument)
  try {
    await use(vtn)
  } finally {
    await vtn.close()
  }
}

test("a VEN follows a VTN that Prism makes of the official document, which has nothing against its requests", () =>
  using(async (vtn) => {
    const { must } = await arrangeDispatches(app, clock)
    const { id } = await must(201, "POST", "/v1/grid-connections", {
      name: "Prism",
      vtnUrl: vtn.url,
      tokenUrl: `${vtn.url}/auth/token`,
      clientId: "ven-42",
      clientSecret: "a secret of the utility",
      venName: "example-ven",
      targets: ["zone-7"]
    })
    await app.sql((sql) => sql`UPDATE grid_connections SET poll_at = now() WHERE id = ${id} RETURNING 1`)
    await pollDue(app)
    expect(vtn.seen.filter((line) => !/ 20[01]$/u.test(line))).toEqual([])
    expect(vtn.seen.some((line) => line.startsWith("GET /programs"))).toBe(true)
    expect(vtn.seen.some((line) => line.startsWith("GET /events"))).toBe(true)
    expect(await must(200, "GET", `/v1/grid-connections/${id}`)).toMatchObject({ status: "connected", lastError: null })
    expect((await must(200, "GET", `/v1/grid-connections/${id}/programs`)).data).toHaveLength(1)
  }))
