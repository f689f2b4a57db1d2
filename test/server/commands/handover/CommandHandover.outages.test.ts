import { expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { duringOutage } from "../../../support/outage.ts"
import { scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeCommands, batteryCommands } from "../arrangeCommands.ts"

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ own: true, adapters: [scripted.adapter] })

test("an outage before the adapter is called leaves the command pending, and it is sent afterwards", async () => {
  const { perform, read, reserve, sent } = await arrangeCommands(app, scripted)
  const { id } = await reserve(30)
  await duringOutage(app, "account_work", perform)
  expect([await read(id), sent()]).toMatchObject([{ status: "pending" }, []])
  await eventually("the command is sent", async () => {
    await perform()
    return (await read(id)).status === "delivered" ? true : undefined
  })
})
