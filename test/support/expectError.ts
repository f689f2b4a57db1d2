import { expect } from "vitest"
import type { TestResponse } from "./TestApp.ts"

/** The response is the error of this status and code, with these details if any, and nothing else. */
export const expectError = (
  response: TestResponse,
  status: number,
  code: string,
  details?: Readonly<Record<string, unknown>>
) => {
  expect({ status: response.status, body: response.body }).toEqual({
    status,
    body: { code, message: expect.stringMatching(/./), ...(details === undefined ? {} : { details }) }
  })
}
