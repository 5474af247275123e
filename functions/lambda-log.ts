/**
 * Logs and metrics of the deployed functions, by Powertools for AWS Lambda: JSON lines on standard output and standard
 * error, where Lambda picks them up. Metrics are lines as well, in CloudWatch's embedded metric format; the alarms and the
 * dashboard of lib/ read what becomes of them. What may stand in a line is decided in log-fields.ts, not here.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS_NAMESPACE, SERVICE } from '../core/metric-names.ts';
import type { Log } from '../core/ports.ts';
import { type LogLevel, loggable } from './log-fields.ts';

export interface LambdaLogOptions {
  readonly level?: LogLevel;
  /** Which deployed agent this is, the same in all its functions: a dimension of its metrics, a field of its lines. */
  readonly agent?: string | undefined;
}

const POWERTOOLS_LEVELS = { info: 'INFO', warn: 'WARN', error: 'ERROR', silent: 'SILENT' } as const;
/** What names a line; Powertools would complain in a line of its own. */
const RESERVED = ['level', 'message', 'sampling_rate', 'service', 'timestamp', 'agent'];

export function createLambdaLog({ level = 'info', agent }: LambdaLogOptions = {}): Log {
  const named = agent === undefined ? {} : { agent };
  const logger = new Logger({
    serviceName: SERVICE,
    logLevel: POWERTOOLS_LEVELS[level],
    persistentKeys: named,
  });
  const metrics = new Metrics({
    namespace: METRICS_NAMESPACE,
    serviceName: SERVICE,
    defaultDimensions: named,
    // Each leaves at once: a stream goes on after its handler has returned, and a worker may die at any time.
    singleMetric: true,
  });
  const shown = (fields: Record<string, unknown> = {}) => {
    const kept = Object.entries(fields).filter(([name]) => !RESERVED.includes(name));
    return loggable(Object.fromEntries(kept));
  };
  return {
    info: (message, fields) => logger.info(message, shown(fields)),
    warn: (message, fields) => logger.warn(message, shown(fields)),
    error: (message, fields) => logger.error(message, shown(fields)),
    count: (metric) => void metrics.addMetric(metric, MetricUnit.Count, 1),
    measure: (metric, ms) => void metrics.addMetric(metric, MetricUnit.Milliseconds, ms),
  };
}
