import { expect } from "vitest"
import type { TestAnswer } from "./TestApp.ts"

/** The answer is the error of this status and code, with these details if any, and nothing else. */
export const expectError = (
  answer: TestAnswer,
  status: number,
  code: string,
  details?: Readonly<Record<string, unknown>>
) => {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: { code, message: expect.stringMatching(/./), ...(details === undefined ? {} : { details }) }
  })
}
