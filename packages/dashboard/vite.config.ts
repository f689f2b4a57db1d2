import optimizeLocales from "@react-aria/optimize-locales-plugin"
import { defaultClientConditions, defineConfig } from "vite"
import { leanContract } from "./src/build/leanContract.ts"
import { messages } from "./src/build/messages.ts"
import { outlines } from "./src/build/outlines.ts"

/** Development: `pnpm --filter @edp/dashboard dev` serves the page and passes API requests on to a service on port 3000. */
const service = "http://127.0.0.1:3000"

export default defineConfig({
  base: "/dashboard/",
  // The date fields bring their words in thirty languages; those of the page are enough.
  plugins: [
    messages(),
    outlines(),
    leanContract,
    { ...optimizeLocales.vite({ locales: ["en-US", "es-ES", "de-DE"] }), enforce: "pre" }
  ],
  resolve: { conditions: ["@edp/source", ...defaultClientConditions], dedupe: ["effect", "react", "react-dom"] },
  build: {
    target: ["chrome130", "firefox132", "safari18"],
    // The policy of the page allows no inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // One file with what the frame and the first page need, and one with the queries of all other pages, so that what a page asks
      // for is known when it is opened: many small files compress worse and cost a request each.
      output: {
        codeSplitting: {
          groups: [
            {
              name: "main",
              test: /\/(dashboard\/src\/(main|kit\/(ConfirmDialog|Copy|Figure|SearchField|deviceMessages|useChange))|domain\/src\/dashboard\/FleetApi)\.tsx?$|\/dashboard\/src\/(app|charts|kit)\/.*\.css$/
            },
            // The fleet is opened most after the overview: it does not wait until the definitions of all other resources are evaluated.
            {
              name: "fleet",
              test: /\/dashboard\/src\/(app\/fleetQueries|resources\/fleet|pages\/fleet\/filters)\.ts$/
            },
            { name: "queries", test: /\/dashboard\/src\/(app\/pageQueries|resources\/\w+)\.ts$/ }
          ]
        }
      },
      // Libraries mark modules for servers that render components. The mark has no meaning here.
      onLog: (level, log, handle) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log)
      }
    }
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/v1": service, "/dashboard/api": service }
  }
})
