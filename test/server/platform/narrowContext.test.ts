import { Authentication } from "@edp/domain/auth/Authentication"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { narrowContext } from "@edp/server/platform/narrowContext"
import { Context } from "effect"
import { HttpServerRequest } from "effect/http"
import { expect, test } from "vitest"

test("a request carries the middleware and its own facts, and none of the services of the process", () => {
  const own = {} as never
  const context = Context.make(ServerConfig, own).pipe(
    Context.add(Authentication, own),
    Context.add(HttpServerRequest.HttpServerRequest, own)
  )
  const kept = narrowContext(context).mapUnsafe
  expect([...kept.keys()].toSorted()).toEqual([Authentication.key, HttpServerRequest.HttpServerRequest.key].toSorted())
  expect(context.mapUnsafe.size).toBe(3)
})
