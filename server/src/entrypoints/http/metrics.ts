/** Prometheus metrics of the process, its requests and its database connections. */
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Context } from '../../context.ts'
import { coalesceLookups } from '../../platform/kit/coalesce-lookups.ts'

/** Collecting takes a millisecond, so requests within this interval share one collection. */
const PROBE_INTERVAL_MS = 250
const METRICS = 'metrics'

export function addMetrics(app: FastifyInstance, { database }: Context): void {
  const registers = [new Registry()]
  const [register] = registers
  collectDefaultMetrics({ register: register! })
  const requests = new Counter({
    name: 'headroom_http_requests_total',
    help: 'Requests answered',
    labelNames: ['operation', 'status'] as const,
    registers,
  })
  const seconds = new Histogram({
    name: 'headroom_http_request_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['operation'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  new Gauge({
    name: 'headroom_database_connections',
    help: 'Connections of the pool',
    labelNames: ['state'] as const,
    registers,
    collect() {
      const { totalCount, idleCount, waitingCount } = database.pool
      this.set({ state: 'open' }, totalCount)
      this.set({ state: 'idle' }, idleCount)
      this.set({ state: 'awaited' }, waitingCount)
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    const { operation = 'none' } = request.routeOptions.config
    requests.inc({ operation, status: reply.statusCode })
    seconds.observe({ operation }, reply.elapsedTime / 1000)
  })
  const collect = async () => new Map([[METRICS, Buffer.from(await register!.metrics())]])
  const readMetrics = coalesceLookups(collect, PROBE_INTERVAL_MS)
  app.get('/metrics', async (_request, reply) =>
    reply.type(register!.contentType).send(await readMetrics(METRICS)),
  )
}
