import { invalid } from "@edp/domain/errors/invalid"
import { serverLimits } from "./serverLimits.ts"

const seconds = (milliseconds: number) => milliseconds / 1000

const late = `Must arrive within ${seconds(serverLimits.requestTimeout)} seconds, its headers within ${seconds(serverLimits.headersTimeout)}`

/** What is wrong, by the code of the error that Node's parser gives up with. */
const byCode: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { request: late },
  HPE_HEADER_OVERFLOW: { headers: `Must be at most ${serverLimits.maxHeaderSize / 1024} KiB with the path` },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { body: "Must have no long extensions of its chunks" },
  HPE_INVALID_CHUNK_SIZE: { body: "Must be sent in chunks of the size that they name" },
  HPE_INVALID_CONSTANT: { request: "Must be a request of HTTP/1.1" }
}

const unlike = { request: "Must be a request of HTTP/1.1" }

export const noHost = { host: "Is required" }
export const otherExpectation = { expect: "Must be 100-continue" }

/** Why a request could not be read, as the details of its VALIDATION_ERROR. */
export const detailsOf = (code: string | undefined): Record<string, string> => byCode[code ?? ""] ?? unlike

/** A VALIDATION_ERROR as bytes of its own, for where there is no request that could be answered the ordinary way. */
export const bodyOf = (details: Record<string, string>): string => {
  const { code, message } = invalid(details)
  return JSON.stringify({ code, message, details })
}
