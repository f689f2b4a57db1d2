import { readFileSync } from "node:fs"
import { type OpenApiOracle, openApiOracle } from "./OpenApiOracle.ts"

const document = new URL("../../packages/domain/openapi.json", import.meta.url)

let oracle: OpenApiOracle | undefined

/** Checks received webhooks against the document, and records violations. */
export const webhookChecks = () => {
  const refused: Array<unknown> = []
  return {
    check: (text: string): void => {
      try {
        oracle ??= openApiOracle(JSON.parse(readFileSync(document, "utf8")))
        oracle.checkWebhook(text)
      } catch (reason) {
        refused.push(reason)
      }
    },
    /** Throws the first violation. Call it when the receiver stops: an error thrown while it responds would be lost. */
    end: (): void => {
      if (refused.length > 0) throw refused[0]
    }
  }
}
