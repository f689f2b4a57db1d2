import type { Page } from "../../support/chromium.ts"
import type { Platform } from "./platform.ts"

/** Opens the page as an operator. */
export const signIn = async (page: Page, { credentials, port }: Platform) => {
  await page.goTo(`http://127.0.0.1:${port}/`)
  const body = JSON.stringify({ key: credentials.managementKey })
  const status = await page.evaluate(`fetch("/dashboard/api/sign-in", {
    method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(body)}
  }).then(({ status }) => status)`)
  if (status !== 200) throw new Error(`signing in was answered ${status}`)
  await page.evaluate(`localStorage.setItem("edp.signed-in", "yes")`)
  await page.goTo(`http://127.0.0.1:${port}/`)
}
