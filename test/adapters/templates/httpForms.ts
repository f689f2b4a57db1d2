import { X509Certificate } from "node:crypto"
import type { HttpTemplate } from "@edp/adapter-templates/HttpTemplate"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { PASSWORD, USERNAME } from "../../support/peers/HttpDevice.ts"
import { localhostCertificate } from "../../support/peers/localhostCertificate.ts"

/** The templates over HTTP that come with the service. */
export const httpTemplates = shippedTemplates.filter((one): one is HttpTemplate => one.protocol === "http")

export const fingerprint = () => new X509Certificate(localhostCertificate.cert).fingerprint256

/** The values that a person enters for the device of a template's fixture. */
export const httpForm = (
  template: HttpTemplate,
  port: number,
  more: Readonly<Record<string, string>> = {}
): Readonly<Record<string, string>> => {
  const batteries = Object.values(template.fixture.known ?? {})
  const { kind = "none", username } = template.authentication ?? {}
  const asksForName = ["basic", "digest", "login"].includes(kind) && username === undefined
  return {
    host: "127.0.0.1",
    port: String(port),
    model: template.slug,
    ...(kind !== "none" && { password: PASSWORD }),
    ...(asksForName && { username: USERNAME }),
    ...(template.tls === "required" && { fingerprint: fingerprint() }),
    ...(batteries[0]?.["capacity"] !== undefined && { batteryCapacity: String(batteries[0]["capacity"]) }),
    ...template.fixture.inputs,
    ...more
  }
}
