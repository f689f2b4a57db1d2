import { readFileSync } from "node:fs"
import { type OpenApiOracle, openApiOracle } from "./OpenApiOracle.ts"

const document = new URL("../../packages/domain/openapi.json", import.meta.url)

let oracle: OpenApiOracle | undefined

/** Holds what a receiver of webhooks is sent against the document, and keeps what the document does not allow. */
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
    /** Throws what was refused. For the end of a receiver: what throws while it answers would be lost. */
    end: (): void => {
      if (refused.length > 0) throw refused[0]
    }
  }
}
