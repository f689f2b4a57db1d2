import { X509Certificate } from "node:crypto"
import { enphaseAdapter } from "@edp/adapter-enphase-envoy/enphaseAdapter"
import type { GatewayCredentials } from "@edp/adapter-enphase-envoy/GatewayCredentials"
import type { Account, AccountReport } from "@edp/adapter-kit/Account"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { Clock, Effect, Exit, Schema, Scope } from "effect"
import { run } from "../../adapter-kit/modbus/modbusInstance.ts"
import { accessToken, EnlightenServer } from "../../support/peers/EnlightenServer.ts"
import { EnphaseGateway, type GatewayShape } from "../../support/peers/EnphaseGateway.ts"
import { localhostCertificate } from "../../support/peers/localhostCertificate.ts"

export const DAY = 86_400_000

export const now = () => Effect.runSync(Clock.currentTimeMillis)

export const fingerprint = new X509Certificate(localhostCertificate.cert).fingerprint256

/** A token that the gateway accepts. */
export const giveToken = (gateway: EnphaseGateway, validFor = 300 * DAY) => {
  const token = accessToken(gateway.shape.serial, now() + validFor)
  gateway.tokens.add(token)
  return token
}

/** The values that a person enters for a gateway. */
export const form = (gateway: EnphaseGateway, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  host: "127.0.0.1",
  port: String(gateway.port),
  ...(gateway.isEncrypted ? { firmware: "7", fingerprint } : { firmware: "older" }),
  ...more
})

/** The credentials of an account as the platform stores them. */
const stored = (credentials: GatewayCredentials): GatewayCredentials =>
  Schema.decodeUnknownSync(enphaseAdapter.credentials)(
    JSON.parse(JSON.stringify(Schema.encodeSync(enphaseAdapter.credentials)(credentials)))
  )

/** An adapter at work, a gateway of a firmware, and the cloud that gives tokens for it. */
export const startGateway = async (shape: GatewayShape) => {
  const gateway = new EnphaseGateway(shape)
  await gateway.start()
  const cloud = new EnlightenServer(now)
  cloud.own(gateway)
  await cloud.start()
  const scope = Scope.makeUnsafe()
  const settings = Schema.decodeUnknownSync(enphaseAdapter.settings)(cloud.settings())
  const instance = await run(
    Effect.provideService(enphaseAdapter.create(settings, testHost().host), Scope.Scope, scope)
  )
  const { authorization } = instance
  if (authorization.kind !== "form") throw new Error("The adapter has no form")
  const connect = (more?: Readonly<Record<string, string>>) => authorization.connect(form(gateway, more))

  /** The account of a gateway that was linked, by a pasted token unless the form says otherwise. */
  const link = async (more?: Readonly<Record<string, string>>): Promise<Account<GatewayCredentials>> => {
    const own = more ?? (gateway.isEncrypted ? { token: giveToken(gateway) } : {})
    const { credentials, externalId } = await run(connect(own))
    return testAccount(externalId, stored(credentials))
  }
  const read = (account: Account<GatewayCredentials>) =>
    Effect.map(instance.readDevices!(account, []), (report: AccountReport) => ({
      report,
      states: Object.fromEntries(
        report.observations.map((one) => [one.manufacturerDeviceId.split("/")[1]!, one.state as any])
      ),
      next: { ...account, memory: JSON.parse(JSON.stringify(report.memory)) as unknown }
    }))
  const command = (
    account: Account<GatewayCredentials>,
    request: Pick<CommandRequest, "type" | "input"> & Partial<CommandRequest>,
    saved: Array<unknown> = []
  ) =>
    instance.sendCommand!(account, {
      id: "command-1",
      device: { id: "device-1", manufacturerDeviceId: `${account.externalId}/battery`, type: "battery" },
      revertAfter: null,
      state: null,
      snapshot: null,
      takenSince: [],
      saveSnapshot: (snapshot) => Effect.sync(() => void saved.push(JSON.parse(JSON.stringify(snapshot)))),
      ...request
    })
  return {
    gateway,
    cloud,
    instance,
    connect,
    link,
    read,
    command,
    stop: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await gateway.stop()
      await cloud.stop()
    }
  }
}
export type StartedGateway = Awaited<ReturnType<typeof startGateway>>
