import type { TestResponse } from "../support/TestApp.ts"

/** Headers that differ between any two responses. */
const passing = /^(date|x-request-id|x-ratelimit-.*)$/

/** All that a caller can see of a response, except the parts that differ by request. */
export const seen = ({ status, headers, text }: TestResponse) => ({
  status,
  text,
  headers: Object.fromEntries([...headers].filter(([name]) => !passing.test(name)))
})
