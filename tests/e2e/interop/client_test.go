// Package interop is a stock Go client of the daemon: grpc-go, and what protoc-gen-go makes of proto/cuzk/v1/proving.proto.
package interop

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	pb "cuzk/v1"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
)

const (
	completed = pb.AwaitProofResponse_COMPLETED
	cancelled = pb.AwaitProofResponse_CANCELLED
	timedOut  = pb.AwaitProofResponse_TIMEOUT
)

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func soon(t *testing.T) context.Context { return within(t, 5*time.Minute) }

func refused(t *testing.T, err error, code codes.Code, words string) {
	t.Helper()
	if status.Code(err) != code || !strings.Contains(status.Convert(err).Message(), words) {
		t.Errorf("got %v, want %v with %q", err, code, words)
	}
}

func plain(d *daemon) pb.ProvingEngineClient {
	return pb.NewProvingEngineClient(d.dial("unix://"+d.socket(), grpc.WithInsecure()))
}

func TestProveEveryKind(t *testing.T) {
	d := startDaemon(t, "")
	unix, tcp := plain(d), pb.NewProvingEngineClient(d.dial("dns:///"+d.tcp(), grpc.WithInsecure()))
	for _, c := range []struct {
		client     pb.ProvingEngineClient
		request    *pb.SubmitProofRequest
		partitions int
	}{{unix, porep(t, "porep-1000-11", 0), 1}, {unix, snap(t, "snap-1000-31"), 1},
		{tcp, window(t, "wdpost-1000-0-[1 2 3 4 5 6 7 8]"), 2}, {tcp, winning(t, "winpost-1000-00000000000000ff"), 1}} {
		answer, err := c.client.Prove(soon(t), &pb.ProveRequest{Submit: c.request})
		check(t, err)
		r := answer.Result
		if r.Status != completed || r.JobId != c.request.RequestId || len(r.Proof) != 192*c.partitions || r.TotalMs == 0 {
			t.Fatalf("%s: %v", c.request.RequestId, r)
		}
		verify(t, c.request, r.Proof)
	}
}

func TestSubmitAwaitCancel(t *testing.T) {
	client := plain(startDaemon(t, ""))
	submit := func(r *pb.SubmitProofRequest) string {
		answer, err := client.SubmitProof(soon(t), r)
		check(t, err)
		return answer.JobId
	}
	await := func(r *pb.AwaitProofRequest) *pb.AwaitProofResponse {
		answer, err := client.AwaitProof(soon(t), r)
		check(t, err)
		return answer
	}
	slow := submit(porep(t, "slow", 1))
	if r := await(&pb.AwaitProofRequest{JobId: slow, TimeoutMs: 1}); r.Status != timedOut {
		t.Errorf("await of 1 ms: %v", r)
	}
	_, err := client.AwaitProof(within(t, 50*time.Millisecond), &pb.AwaitProofRequest{JobId: slow})
	refused(t, err, codes.DeadlineExceeded, "")
	post := winning(t, "")
	job := submit(post)
	if job == "" {
		t.Error("no id was drawn")
	}
	first, again := await(&pb.AwaitProofRequest{JobId: job}), await(&pb.AwaitProofRequest{JobId: job, TimeoutMs: 1000})
	if first.Status != completed || string(first.Proof) != string(again.Proof) {
		t.Errorf("awaited twice: %v, %v", first, again)
	}
	verify(t, post, first.Proof)
	for i, wasRunning := range []bool{true, false} {
		answer, err := client.CancelProof(soon(t), &pb.CancelProofRequest{JobId: slow})
		check(t, err)
		if answer.WasRunning != wasRunning {
			t.Errorf("cancel %d: was running: %v", i, answer.WasRunning)
		}
	}
	if r := await(&pb.AwaitProofRequest{JobId: slow}); r.Status != cancelled {
		t.Errorf("cancelled: %v", r)
	}
	if answer, err := client.CancelProof(soon(t), &pb.CancelProofRequest{JobId: job}); err != nil || answer.WasRunning {
		t.Errorf("cancel of what is done: %v, %v", answer, err)
	}
	// A client that goes leaves its job, and a retry with the same id meets it.
	_, err = client.Prove(within(t, 50*time.Millisecond), &pb.ProveRequest{Submit: window(t, "left")})
	if err != nil {
		refused(t, err, codes.DeadlineExceeded, "")
	}
	answer, err := client.Prove(soon(t), &pb.ProveRequest{Submit: window(t, "left")})
	check(t, err)
	if answer.Result.Status != completed || answer.Result.JobId != "left" {
		t.Errorf("after the client had gone: %v", answer)
	}
}

func TestRefusals(t *testing.T) {
	client := plain(startDaemon(t, ""))
	otherMiner, short, empty := porep(t, "", 0), winning(t, ""), winning(t, "")
	otherMiner.MinerId, short.Randomness, empty.VanillaProofs = 1001, []byte("short"), nil
	for words, request := range map[string]*pb.SubmitProofRequest{"replica_id": otherMiner, "randomness": short, "vanilla_proofs": empty,
		"invalid proof_kind: 0": {}} {
		_, err := client.SubmitProof(soon(t), request)
		refused(t, err, codes.InvalidArgument, words)
	}
	_, err := client.Prove(soon(t), &pb.ProveRequest{})
	refused(t, err, codes.InvalidArgument, "missing submit field")
	_, err = client.AwaitProof(soon(t), &pb.AwaitProofRequest{JobId: "nobody"})
	refused(t, err, codes.NotFound, "job not found: nobody")
	_, err = client.CancelProof(soon(t), &pb.CancelProofRequest{JobId: "nobody"})
	refused(t, err, codes.NotFound, "job not found: nobody")
}

func TestParametersStatusMetrics(t *testing.T) {
	client := plain(startDaemon(t, ""))
	const id = "winning-2k"
	for _, already := range []bool{false, true} {
		answer, err := client.PreloadSRS(soon(t), &pb.PreloadSrsRequest{CircuitId: id})
		check(t, err)
		if answer.AlreadyLoaded != already {
			t.Errorf("preload: already loaded: %v", answer.AlreadyLoaded)
		}
	}
	s, err := client.GetStatus(soon(t), &pb.GetStatusRequest{})
	check(t, err)
	if len(s.LoadedSrs) != 1 || s.LoadedSrs[0].CircuitId != id || len(s.Queues) != 4 || s.PinnedMemoryLimitBytes == 0 {
		t.Errorf("status: %v", s)
	}
	for _, loaded := range []bool{true, false} {
		answer, err := client.EvictSRS(soon(t), &pb.EvictSrsRequest{CircuitId: id})
		check(t, err)
		if answer.WasLoaded != loaded || (answer.FreedBytes != 0) != loaded {
			t.Errorf("evict: %v", answer)
		}
	}
	_, err = client.PreloadSRS(soon(t), &pb.PreloadSrsRequest{CircuitId: "porep-3k"})
	refused(t, err, codes.NotFound, "unknown circuit ID: porep-3k")
	_, err = client.PreloadSRS(soon(t), &pb.PreloadSrsRequest{CircuitId: "porep-32g"})
	refused(t, err, codes.FailedPrecondition, "")
	_, err = client.Prove(soon(t), &pb.ProveRequest{Submit: winning(t, "metrics")})
	check(t, err)
	m, err := client.GetMetrics(soon(t), &pb.GetMetricsRequest{})
	check(t, err)
	if want := "cuzk_proofs_completed{proof_kind=\"winning_post\"} 1\n"; !strings.Contains(m.PrometheusText, want) {
		t.Errorf("no %q in\n%s", want, m.PrometheusText)
	}
}

func TestHealth(t *testing.T) {
	d := startDaemon(t, "")
	client := healthpb.NewHealthClient(d.dial("unix://"+d.socket(), grpc.WithInsecure()))
	for _, service := range []string{"", "cuzk.v1.ProvingEngine", "porep-c2", "snap-update", "window-post", "winning-post"} {
		answer, err := client.Check(soon(t), &healthpb.HealthCheckRequest{Service: service})
		check(t, err)
		if answer.Status != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("%q: %v", service, answer)
		}
	}
	_, err := client.Check(soon(t), &healthpb.HealthCheckRequest{Service: "nobody"})
	refused(t, err, codes.NotFound, "")
	watch, err := client.Watch(soon(t), &healthpb.HealthCheckRequest{Service: ""})
	check(t, err)
	if answer, err := watch.Recv(); err != nil || answer.Status != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("watch: %v, %v", answer, err)
	}
}

func TestReflection(t *testing.T) {
	d := startDaemon(t, "")
	stream, err := reflectionpb.NewServerReflectionClient(d.dial("unix://"+d.socket(), grpc.WithInsecure())).ServerReflectionInfo(soon(t))
	check(t, err)
	ask := func(r *reflectionpb.ServerReflectionRequest) *reflectionpb.ServerReflectionResponse {
		check(t, stream.Send(r))
		answer, err := stream.Recv()
		check(t, err)
		return answer
	}
	names := map[string]bool{}
	list := ask(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}})
	for _, service := range list.GetListServicesResponse().GetService() {
		names[service.Name] = true
	}
	if !names["cuzk.v1.ProvingEngine"] || !names["grpc.health.v1.Health"] {
		t.Errorf("services: %v", names)
	}
	file := ask(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{
		FileContainingSymbol: "cuzk.v1.ProvingEngine.Prove"}})
	if len(file.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
		t.Errorf("no file has Prove: %v", file)
	}
	unknown := ask(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{
		FileContainingSymbol: "cuzk.v1.Nothing"}})
	if unknown.GetErrorResponse().GetErrorCode() != int32(codes.NotFound) {
		t.Errorf("unknown symbol: %v", unknown)
	}
}

func certificate(t *testing.T) (cert, key string) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	check(t, err)
	text, err := x509.MarshalPKCS8PrivateKey(private)
	check(t, err)
	encode := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", text)
}

// With TLS, client certificates and tokens at once; and what misses one of them.
func TestTLSAndToken(t *testing.T) {
	const token = "correct-horse-battery-staple"
	cert, key := certificate(t)
	files := &daemon{t: t, folder: t.TempDir()}
	certFile, keyFile, tokenFile := files.write("cert.pem", cert), files.write("key.pem", key), files.write("tokens", token+"\n")
	d := startDaemon(t, "[tls]\ncert = \""+certFile+"\"\nkey = \""+keyFile+"\"\nclient_ca = \""+certFile+"\"\n[auth]\ntoken_file = \""+tokenFile+"\"\n")
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(cert))
	own, err := tls.X509KeyPair([]byte(cert), []byte(key))
	check(t, err)
	trusted := credentials.NewTLS(&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own}})
	client := pb.NewProvingEngineClient(d.dial(d.tcp(), grpc.WithTransportCredentials(trusted)))
	bearer := func(token string) context.Context {
		return metadata.AppendToOutgoingContext(soon(t), "authorization", "Bearer "+token)
	}
	request := winning(t, "tls")
	answer, err := client.Prove(bearer(token), &pb.ProveRequest{Submit: request})
	check(t, err)
	verify(t, request, answer.Result.Proof)
	for _, ctx := range []context.Context{soon(t), bearer(token + "x")} {
		_, err := client.GetStatus(ctx, &pb.GetStatusRequest{})
		refused(t, err, codes.Unauthenticated, "bearer token")
	}
	for name, option := range map[string]grpc.DialOption{
		"no certificate of its own":    grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: roots})),
		"the server is not trusted":    grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{own}})),
		"no TLS where it is asked for": grpc.WithInsecure()} {
		_, err := pb.NewProvingEngineClient(d.dial(d.tcp(), option)).GetStatus(bearer(token), &pb.GetStatusRequest{})
		if status.Code(err) != codes.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	// On the unix socket the file system says who may.
	_, err = plain(d).GetStatus(soon(t), &pb.GetStatusRequest{})
	check(t, err)
}
