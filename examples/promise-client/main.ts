// oxlint-disable no-console -- it shows how to use the client where there is nothing but plain TypeScript
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createClient, EdpError, eachRecord } from "@edp/domain/PromiseClient"

/** `.edp/credentials.json` of EDP_DATA_DIR, of this folder or of the nearest one above it. */
const credentialsPath = (folder = process.cwd()): string | undefined => {
  const { EDP_DATA_DIR } = process.env
  if (EDP_DATA_DIR !== undefined) return join(EDP_DATA_DIR, "credentials.json")
  const path = join(folder, ".edp", "credentials.json")
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : credentialsPath(dirname(folder))
}

const path = credentialsPath()
if (path === undefined || !existsSync(path)) {
  console.error("There are no credentials yet: start the service first")
  process.exit(1)
}
const { baseUrl, manufacturerKey, serverKey } = JSON.parse(readFileSync(path, "utf8"))
const onRetry = ({ reason }: { readonly reason: string }) => console.log(`${reason}: trying again`)
const client = createClient({ baseUrl, key: serverKey, onRetry })
const manufacturer = createClient({ baseUrl, key: manufacturerKey, onRetry })

try {
  // A list in one shape: a page with its totals, and a cursor where the list has one.
  const { data: found } = await client.sites.list({ query: { referenceId: ["promise-client"] } })
  const site =
    found[0] ??
    (await client.sites.create({
      payload: {
        name: "Promise client example",
        referenceId: "promise-client",
        address: { streetOne: "2 Promise Lane", city: "Sacramento", state: "CA", postalCode: "95814" },
        timezone: "America/Los_Angeles"
      }
    }))

  const models = await client.deviceModels.list({ query: { manufacturer: ["generic"], type: ["meter"] } })
  const meter = await manufacturer.directIntegration.provision({
    payload: { manufacturerDeviceId: "promise-meter", deviceModelId: models.data[0]!.id, siteId: site.id }
  })
  console.log(`${meter.name} at ${site.name} (${meter.id})`)

  // A reading without a timestamp gets the time of its arrival.
  const { accepted } = await manufacturer.directIntegration.push({
    params: { id: meter.id },
    payload: { state: { power: 640 } }
  })
  console.log(`${accepted} reading stored`)

  // Any list, record by record: pages are asked for as they are needed.
  for await (const device of eachRecord(client.devices.list, { query: { siteId: [site.id] } })) {
    console.log(device.type === "meter" ? `${device.name} now: ${device.state.power} W` : device.name)
  }

  // A call can be ended, and one error class tells what went wrong.
  const signal = AbortSignal.timeout(10_000)
  await client.devices.update({ params: { id: "not-there" }, payload: { name: "Garage" } }, { signal })
} catch (error) {
  if (!(error instanceof EdpError)) throw error
  if (error.code === "DEVICE_NOT_FOUND") console.log(`renaming nothing: ${error.message} (${error.status})`)
  else {
    console.error(`${error.code}: ${error.message}${error.code === "NO_ANSWER" ? ": is the service running?" : ""}`)
    process.exitCode = 1
  }
}
